// The file of the command line, for starting it in another process.

import { fileURLToPath } from 'node:url';

export const commandFile = fileURLToPath(new URL('./main.ts', import.meta.resolve('coppice/cli')));
