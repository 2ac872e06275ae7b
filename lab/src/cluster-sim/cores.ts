// CPU as a queue: work runs in the order of arrival, on the core that is free first. A node has one core. A database has several, or a
// part of one, which is a core that is slower by that factor. On a small machine they share.

export class Cores {
  readonly #freeMs: number[];
  readonly #speed: number;
  #busyMs = 0;

  constructor(count: number) {
    this.#freeMs = new Array<number>(Math.ceil(count)).fill(0);
    this.#speed = count / Math.ceil(count);
  }

  /** Of all cores together, as whole ones would take. */
  get busyMs(): number {
    return this.#busyMs;
  }

  /** When work that may begin at `fromMs` is done. */
  work(fromMs: number, costMs: number): number {
    if (costMs === 0) return fromMs;
    const free = this.#freeMs;
    let first = 0;
    for (let at = 1; at < free.length; at += 1) if (free[at]! < free[first]!) first = at;
    const doneMs = Math.max(fromMs, free[first]!) + costMs / this.#speed;
    free[first] = doneMs;
    this.#busyMs += costMs;
    return doneMs;
  }
}
