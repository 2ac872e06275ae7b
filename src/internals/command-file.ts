// Where the product is on disk, for what starts its commands in processes of their own or reads its code as text.

import { fileURLToPath } from 'node:url';

const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** The command line. */
export const commandFile = fileURLToPath(new URL(`../cli/main.${extension}`, import.meta.url));

export const sourceFolder = fileURLToPath(new URL('..', import.meta.url));
