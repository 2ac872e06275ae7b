// The file of the command line, for starting it in another process.

import { fileURLToPath } from 'node:url';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

export const commandFile = fileURLToPath(new URL(`./main.${extension}`, import.meta.url));
