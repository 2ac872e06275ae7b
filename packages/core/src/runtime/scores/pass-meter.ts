// The shortest recent pass of the verifier, timed from a request to the idle verifier to its first answer.

/** The shortest of so many hardly ever had to wait. */
const remembered = 32;

export class PassMeter {
  readonly #passesMs: number[] = [];
  #next = 0;
  #sinceMs: number | undefined;
  #beganMs = Number.NEGATIVE_INFINITY;

  get beganMs(): number {
    return this.#beganMs;
  }

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
