// Property tests draw the same examples in every run, so that a change is judged by what it changes. `SEED=7 npm test`
// draws others; a seed that fails is named in a test of its own.

import { env } from 'node:process';
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(env.SEED ?? 1) });
