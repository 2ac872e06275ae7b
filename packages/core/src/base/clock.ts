// Time comes in as an argument everywhere outside the edges. Milliseconds since an arbitrary origin; never steps back.

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
