// The measurements of a machine that serves a generator and a reward model: whole steps and scores as its servers answer them,
// front end included, and the slowdown of each while the other works. Plain data; `npm run lab -- table` writes it.

import type { SlowdownTable } from '../sim/slowdown.ts';

export interface MeasuredMachine {
  readonly name: string;
  readonly generator: {
    /** Cached tokens per sequence of each column of `decode`. */
    readonly contexts: readonly number[];
    /** Sequences, then milliseconds of a decode step per column. */
    readonly decode: readonly (readonly [sequences: number, ...ms: number[]])[];
    /** New tokens of one prompt, milliseconds. */
    readonly prefill: readonly (readonly [tokens: number, ms: number])[];
    /** How much longer a step takes for each sequence that joins in it; older tables lack it. */
    readonly joinMs?: number | undefined;
    /** What a request takes besides its steps: the way there and back, and the front end. */
    readonly requestMs: number;
    readonly kvTokens: number;
    readonly sequenceLimit: number;
  };
  readonly rewardModel: {
    /** Tokens of one pass, milliseconds. */
    readonly pass: readonly (readonly [tokens: number, ms: number])[];
    /** What a score takes besides its pass. The GPU is free meanwhile. */
    readonly callMs: number;
    /** What is computed for a score besides its own tokens: the model's template, and the rest of a cache block. */
    readonly extraTokens: number;
    readonly passTokens: number;
    readonly reusesPrefix: boolean;
    readonly kvTokens: number;
  };
  /** How many times as long each takes while the other works: on a GPU of its own, once. */
  readonly slowdown: SlowdownTable;
}
