// Counts the sequences of each search that run or wait. A search that ends meanwhile is over when its last sequence leaves.

export class PresentSearches {
  readonly #active = new Map<string, number>();
  readonly #begun = new Set<string>();
  /** Searches that ended but still have sequences here. */
  readonly #released = new Set<string>();

  get isOne(): boolean {
    return this.#begun.size === 1;
  }

  readonly isActive = (search: string): boolean => this.#active.has(search);

  enter(search: string): void {
    this.#active.set(search, (this.#active.get(search) ?? 0) + 1);
    this.#begun.add(search);
  }

  /** True if the search had ended and this was its last sequence. */
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
