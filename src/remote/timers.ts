// Time for the edges: a clock and one alarm verb. Tests hand in a clock that they move by hand, so that no test waits.

import type { Clock } from '../base/clock.ts';

export interface Timers extends Clock {
  /** Calls back once after a delay; the returned function calls it off. */
  after(delayMs: number, callback: () => void): () => void;
}

export const liveTimers: Timers = {
  nowMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
