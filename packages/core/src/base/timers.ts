// Time for the edges: a clock and one alarm verb. Tests hand in a clock that they move by hand, so that no test waits.

import type { Clock } from './clock.ts';

export interface Timers extends Clock {
  /** Calls back once after a delay; the returned function calls it off. `isOwed`: the process must not end before. */
  after(delayMs: number, callback: () => void, isOwed?: boolean): () => void;
}

/** 0 is the next turn of the loop. */
export const liveTimers: Timers = {
  nowMs: () => performance.now(),
  after(delayMs, callback, isOwed = false) {
    if (delayMs <= 0) {
      const turn = setImmediate(callback);
      return () => clearImmediate(turn);
    }
    const timer = setTimeout(callback, delayMs);
    if (!isOwed) timer.unref();
    return () => clearTimeout(timer);
  },
};

export function every(timers: Timers, periodMs: number, callback: () => void): () => void {
  const again = () => {
    stop = timers.after(periodMs, again);
    callback();
  };
  let stop = timers.after(periodMs, again);
  return () => stop();
}
