// The recent mean time of one decode step and the recent mean length of an answer, from answers as they come. The time is between the first and the last token where tokens are
// streamed, else over the whole answer, prompt included.

import type { Step } from '../../../tree/step.ts';
import type { Attempt } from './attempt.ts';

const smoothing = 0.05;

export class StepTime {
  /** Both are undefined before the first step. */
  ms: number | undefined;
  tokens: number | undefined;

  observe({ sendsTokens, firstMs, lastMs, startedMs }: Attempt, { tokens }: Step): void {
    this.tokens = this.tokens === undefined ? tokens : this.tokens + (tokens - this.tokens) * smoothing;
    if (tokens < 2) return;
    const ms = sendsTokens ? (lastMs - (firstMs ?? lastMs)) / (tokens - 1) : (lastMs - startedMs) / tokens;
    this.ms = this.ms === undefined ? ms : this.ms + (ms - this.ms) * smoothing;
  }
}
