// The work of each search, known from an earlier run of it. An order by it is the bound for better estimates, and a measured estimate can be
// compared with it.

import type { WorkEstimates } from '@coppice/core/runtime';
import { rankCorrelation } from './statistics.ts';

/** The tokens of every request, by its number. */
export type KnownTokens = readonly number[];

/** Estimates that no real scheduler could have. */
export function knowingWork(tokens: KnownTokens): WorkEstimates {
  return { ended() {}, estimate: () => undefined, left: (_, done, id) => tokens[Number(id)]! - done.tokens };
}

/** Numbers of steps after which a search's estimate is compared with its true work. */
export const judgedSteps = [1, 5, 20, 60] as const;

/** Records estimates when they are made, with the work that was really left. */
export class JudgedWork implements WorkEstimates {
  readonly #judged: WorkEstimates;
  readonly #tokens: KnownTokens;
  /** By request: how many of `judgedSteps` it has passed. */
  readonly #passed = new Map<string, number>();
  readonly #pairs: [guess: number, truth: number][][] = judgedSteps.map(() => []);

  constructor(judged: WorkEstimates, tokens: KnownTokens) {
    this.#judged = judged;
    this.#tokens = tokens;
  }

  ended(...work: Parameters<WorkEstimates['ended']>): void {
    this.#judged.ended(...work);
  }

  estimate(kind: string): number | undefined {
    return this.#judged.estimate(kind);
  }

  left(...asked: Parameters<WorkEstimates['left']>): number {
    const [, done, id] = asked;
    const guess = this.#judged.left(...asked);
    const at = judgedSteps.findLastIndex((steps) => steps <= done.steps);
    if (at < (this.#passed.get(id) ?? 0)) return guess;
    this.#passed.set(id, at + 1);
    this.#pairs[at]?.push([guess, this.#tokens[Number(id)]! - done.tokens]);
    return guess;
  }

  /** By `judgedSteps`: 1 where they put searches in the order of the truth, 0 where they say nothing. */
  get ranks(): number[] {
    return this.#pairs.map((pairs) =>
      rankCorrelation(
        pairs.map(([guess]) => guess),
        pairs.map(([, truth]) => truth),
      ),
    );
  }
}
