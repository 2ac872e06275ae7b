// The version of this package, read once from its own package.json, which stands beside src/ and dist/ alike.

import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');

export const version: string = (JSON.parse(text) as { version: string }).version;
