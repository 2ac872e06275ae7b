// The searches that are here: which have sequences that run or wait, and which have begun and not ended. One that has ended while
// something of it is still here ends with the last of it.

export class PresentSearches {
  /** Sequences running or waiting, by search. */
  readonly #active = new Map<string, number>();
  /** Searches that have begun here and not ended. */
  readonly #begun = new Set<string>();
  /** Searches that ended while something of them was still here. */
  readonly #released = new Set<string>();

  get isOne(): boolean {
    return this.#begun.size === 1;
  }

  readonly isActive = (search: string): boolean => this.#active.has(search);

  enter(search: string): void {
    this.#active.set(search, (this.#active.get(search) ?? 0) + 1);
    this.#begun.add(search);
  }

  /** One of its sequences has gone; true where the search had ended, and this was the last. */
  leave(search: string): boolean {
    const count = (this.#active.get(search) ?? 1) - 1;
    if (count > 0) {
      this.#active.set(search, count);
      return false;
    }
    this.#active.delete(search);
    const hadEnded = this.#released.delete(search);
    if (hadEnded) this.#begun.delete(search);
    return hadEnded;
  }

  release(search: string): void {
    if (this.#active.has(search)) this.#released.add(search);
    else this.#begun.delete(search);
  }
}
