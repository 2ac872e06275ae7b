// Keeps a search with one of the engines behind an address (vLLM's --data-parallel-size): each has a prefix cache of its own.

import { hash } from '../../../base/random.ts';
import type { SessionRoute } from '../../engine.ts';

export class Ranks {
  readonly #places = new Map<string, number>();

  /** The rank of its session, unless that has far more than its share. */
  of(search: string, ranks: number, homes: ReadonlySet<string>, session?: SessionRoute): number {
    const known = this.#places.get(search);
    if (known !== undefined && known < ranks) return known;
    for (const each of this.#places.keys()) if (!homes.has(each)) this.#places.delete(each);
    const held = new Array<number>(ranks).fill(0);
    for (const rank of this.#places.values()) if (rank < ranks) held[rank]! += 1;
    const least = Math.min(...held);
    const wanted = session === undefined ? -1 : hash(session.route) % ranks;
    const rank = (held[wanted] ?? Number.POSITIVE_INFINITY) <= 2 * least + 2 ? wanted : held.indexOf(least);
    this.#places.set(search, rank);
    return rank;
  }
}
