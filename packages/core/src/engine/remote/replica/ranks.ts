// Keeps a search with one of the engines behind an address (vLLM's --data-parallel-size): each has a prefix cache of its own.

export class Ranks {
  readonly #places = new Map<string, number>();

  of(search: string, ranks: number, homes: ReadonlySet<string>): number {
    const known = this.#places.get(search);
    if (known !== undefined && known < ranks) return known;
    for (const each of this.#places.keys()) if (!homes.has(each)) this.#places.delete(each);
    const held = new Array<number>(ranks).fill(0);
    for (const rank of this.#places.values()) if (rank < ranks) held[rank]! += 1;
    const rank = held.indexOf(Math.min(...held));
    this.#places.set(search, rank);
    return rank;
  }
}
