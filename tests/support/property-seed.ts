// Property tests draw the same examples in every run, so that only a change of the code changes a result. `SEED=7 npm test`
// draws others; a seed that fails becomes a named test.

import { env } from 'node:process';
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(env.SEED ?? 1) });
