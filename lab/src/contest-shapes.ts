// The shapes that a block of `coppice bench` takes and gives.

import type { contendersOf, runBlock } from 'coppice/bench';

export type BenchContest = Parameters<typeof runBlock>[0];
export type BenchContender = ReturnType<typeof contendersOf>[number];
/** One question answered by one contender. */
export type BenchTrial = Parameters<Parameters<typeof runBlock>[3]>[0];
