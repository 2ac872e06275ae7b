// Counts the work in flight over time, and the time of each piece.

import type { Clock } from '@coppice/core/base';
import type { RequestId } from '@coppice/core/engine';

export class Meter {
  readonly #clock: Clock;
  readonly #since = new Map<RequestId, number>();
  #changedMs: number;
  /** Pieces under way, times milliseconds. */
  #area = 0;
  readonly tookMs: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#changedMs = clock.nowMs();
  }

  begin(id: RequestId): void {
    this.#move();
    this.#since.set(id, this.#clock.nowMs());
  }

  /** `counts`: false for cancelled pieces, whose time is left out of `tookMs`. */
  end(id: RequestId, counts: boolean): void {
    const since = this.#since.get(id);
    if (since === undefined) return;
    this.#move();
    this.#since.delete(id);
    if (counts) this.tookMs.push(this.#clock.nowMs() - since);
  }

  meanSince(startMs: number): number {
    this.#move();
    return this.#area / Math.max(1, this.#clock.nowMs() - startMs);
  }

  #move(): void {
    const nowMs = this.#clock.nowMs();
    this.#area += this.#since.size * (nowMs - this.#changedMs);
    this.#changedMs = nowMs;
  }
}
