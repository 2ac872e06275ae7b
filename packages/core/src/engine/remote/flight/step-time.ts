// Recent means of one decode step and of an answer's length. The step is timed between tokens if they are streamed, else over the whole
// answer.

import type { Step } from '../../../tree/step.ts';
import type { Attempt } from './attempt.ts';

const smoothing = 0.05;

export class StepTime {
  ms: number | undefined;
  tokens: number | undefined;

  observe({ sendsTokens, firstMs, lastMs, startedMs }: Attempt, { tokens }: Step): void {
    this.tokens = this.tokens === undefined ? tokens : this.tokens + (tokens - this.tokens) * smoothing;
    if (tokens < 2) return;
    const ms = sendsTokens ? (lastMs - (firstMs ?? lastMs)) / (tokens - 1) : (lastMs - startedMs) / tokens;
    this.ms = this.ms === undefined ? ms : this.ms + (ms - this.ms) * smoothing;
  }
}
