// Time is an argument everywhere outside the edges: milliseconds since an arbitrary origin, which never step back. The edges have one alarm verb
// besides; tests hand in a clock that they move by hand, so that no test waits.

export interface Clock {
  nowMs(): number;
}

/** The clock of a simulation: stands still until the simulation moves it forward. */
export class VirtualClock implements Clock {
  #nowMs: number;

  constructor(startMs = 0) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  moveTo(timeMs: number): void {
    if (timeMs > this.#nowMs) this.#nowMs = timeMs;
  }
}

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
