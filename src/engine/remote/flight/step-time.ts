// The recent mean time of one decode step, from answers as they come: between the first and the last token where tokens are
// streamed, else over the whole answer, prompt included.

import type { Step } from '../../../tree/step.ts';
import type { Attempt } from './attempt.ts';

/** Weight of a new observation. */
const smoothing = 0.05;

export class StepTime {
  #ms: number | undefined;

  /** Undefined before the first step. */
  get ms(): number | undefined {
    return this.#ms;
  }

  observe({ sendsTokens, firstMs, lastMs, startedMs }: Attempt, { tokens }: Step): void {
    if (tokens < 2) return;
    const ms = sendsTokens ? (lastMs - (firstMs ?? lastMs)) / (tokens - 1) : (lastMs - startedMs) / tokens;
    this.#ms = this.#ms === undefined ? ms : this.#ms + (ms - this.#ms) * smoothing;
  }
}
