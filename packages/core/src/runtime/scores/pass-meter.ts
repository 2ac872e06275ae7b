// How long a pass of the verifier takes at least, from outside: from the moment at which it is handed something while it has nothing,
// to its first answer.

/** The shortest of so many is hardly ever one that was waited for. */
const remembered = 32;

export class PassMeter {
  readonly #passesMs: number[] = [];
  #next = 0;
  #sinceMs: number | undefined;
  #beganMs = Number.NEGATIVE_INFINITY;

  get beganMs(): number {
    return this.#beganMs;
  }

  /** 0 before any was seen. */
  get shortestMs(): number {
    return this.#passesMs.length === 0 ? 0 : Math.min(...this.#passesMs);
  }

  began(nowMs: number, wasIdle: boolean): void {
    this.#beganMs = nowMs;
    this.#sinceMs = wasIdle ? nowMs : undefined;
  }

  answered(nowMs: number): void {
    if (this.#sinceMs === undefined) return;
    this.#passesMs[this.#next] = nowMs - this.#sinceMs;
    this.#next = (this.#next + 1) % remembered;
    this.#sinceMs = undefined;
  }
}
