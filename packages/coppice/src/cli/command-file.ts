// Where the command line is on disk, for what starts it in a process of its own.

import { fileURLToPath } from 'node:url';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

export const commandFile = fileURLToPath(new URL(`./main.${extension}`, import.meta.url));
