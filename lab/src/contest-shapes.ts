// The argument and result types of `coppice bench`'s blocks.

import type { contendersOf, runBlock } from 'coppice/bench';

export type BenchContest = Parameters<typeof runBlock>[0];
export type BenchContender = ReturnType<typeof contendersOf>[number];
/** One contender's answer to one question. */
export type BenchTrial = Parameters<Parameters<typeof runBlock>[3]>[0];
