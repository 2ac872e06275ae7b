// CPU as a queue: work is done in the order in which it comes, on the core that is free first. A node is one core, a database some;
// on a small machine they share.

export class Cores {
  readonly #freeMs: number[];
  #busyMs = 0;

  constructor(count: number) {
    this.#freeMs = new Array<number>(count).fill(0);
  }

  get count(): number {
    return this.#freeMs.length;
  }

  /** Of all cores together. */
  get busyMs(): number {
    return this.#busyMs;
  }

  /** When work that may begin at `fromMs` is done. */
  work(fromMs: number, costMs: number): number {
    if (costMs === 0) return fromMs;
    const free = this.#freeMs;
    let first = 0;
    for (let at = 1; at < free.length; at += 1) if (free[at]! < free[first]!) first = at;
    const doneMs = Math.max(fromMs, free[first]!) + costMs;
    free[first] = doneMs;
    this.#busyMs += costMs;
    return doneMs;
  }
}
