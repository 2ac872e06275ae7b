// The queue of everything that waits for a model: primary first, then by priority, then by an item's own numbers, then by arrival. Pure.

import { compareUrgency, type Urgency } from './engine.ts';

interface PlaceInQueue<Key, Item> {
  readonly key: Key;
  readonly item: Item;
  readonly urgency: Urgency;
  readonly order: readonly number[];
  readonly arrival: number;
}

export class UrgencyQueue<Key, Item> {
  /** Last first, so that the next one is popped from the end. */
  readonly #line: PlaceInQueue<Key, Item>[] = [];
  readonly #places = new Map<Key, PlaceInQueue<Key, Item>>();
  #arrivals = 0;

  get size(): number {
    return this.#line.length;
  }

  get(key: Key): Item | undefined {
    return this.#places.get(key)?.item;
  }

  /** An item that waits already moves; among equals it keeps its place. */
  set(key: Key, item: Item, urgency: Urgency, ...order: readonly number[]): void {
    const before = this.#places.get(key);
    if (before === undefined) this.#arrivals += 1;
    else this.#line.splice(this.#indexOf(before), 1);
    const place = { key, item, urgency, order, arrival: before?.arrival ?? this.#arrivals };
    this.#line.splice(this.#indexOf(place), 0, place);
    this.#places.set(key, place);
  }

  delete(key: Key): Item | undefined {
    const place = this.#places.get(key);
    if (place === undefined) return undefined;
    this.#places.delete(key);
    this.#line.splice(this.#indexOf(place), 1);
    return place.item;
  }

  peek(): Item | undefined {
    return this.#line.at(-1)?.item;
  }

  pop(): Item | undefined {
    const place = this.#line.pop();
    if (place !== undefined) this.#places.delete(place.key);
    return place?.item;
  }

  *inOrder(): Generator<Item> {
    const line = this.#line.slice();
    for (let at = line.length - 1; at >= 0; at -= 1) yield line[at]!.item;
  }

  #indexOf(place: PlaceInQueue<Key, Item>): number {
    let low = 0;
    let high = this.#line.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.#line[middle]!, place) > 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function compare(a: PlaceInQueue<unknown, unknown>, b: PlaceInQueue<unknown, unknown>): number {
  const byUrgency = compareUrgency(a.urgency, b.urgency);
  if (byUrgency !== 0) return byUrgency;
  for (const [at, number] of a.order.entries()) if (number !== b.order[at]) return number - b.order[at]!;
  return a.arrival - b.arrival;
}
