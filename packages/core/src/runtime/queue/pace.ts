// How long the last searches held their strands, for forecasts of waits. Undefined before the first search has ended.

import type { Pace } from '../../scheduler/turns/forecast.ts';

/** Enough for a steady median, few enough to follow a change of load within a minute or so. */
const remembered = 64;

export class PaceMeter {
  readonly #servicesMs: number[] = [];
  #next = 0;
  #pace: Pace | undefined;

  /** From admission to end; the caller leaves out cancelled and failed searches. */
  ended(serviceMs: number): void {
    this.#servicesMs[this.#next] = serviceMs;
    this.#next = (this.#next + 1) % remembered;
    this.#pace = undefined;
  }

  get pace(): Pace | undefined {
    if (this.#servicesMs.length === 0) return undefined;
    this.#pace ??= summary(this.#servicesMs);
    return this.#pace;
  }
}

function summary(servicesMs: readonly number[]): Pace {
  const sorted = [...servicesMs].sort((a, b) => a - b);
  const total = sorted.reduce((sum, each) => sum + each, 0);
  return { meanMs: total / sorted.length, medianMs: sorted[Math.floor(sorted.length / 2)]! };
}
