// Those who wait for a place in the batch, in the order in which they should get one: primary before speculative, higher
// priority first, then the children of one parent together and parents in the order in which they first came (P4 §4.2:
// this is the cheap form of "next the one that shares the longest prefix"). Pure.

import { compareUrgency, type Urgency } from '../../engine.ts';

export interface WaitingItem<Item> {
  readonly id: number;
  readonly search: string;
  readonly parent: number;
  readonly urgency: Urgency;
  /** When it first came: one who gave way comes back to its old place. */
  readonly arrival: number;
  readonly item: Item;
}

type PlacedItem<Item> = WaitingItem<Item> & { readonly group: number };

export class WaitingLine<Item> {
  /** Last first, so that the next one is popped from the end. */
  #line: PlacedItem<Item>[] = [];
  /** When a parent's first waiting child came; forgotten with its last one. */
  readonly #groups = new Map<string, { first: number; waiting: number }>();

  get size(): number {
    return this.#line.length;
  }

  add(entry: WaitingItem<Item>): void {
    const placed: PlacedItem<Item> = { ...entry, group: this.#join(entry) };
    let low = 0;
    let high = this.#line.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare(this.#line[middle]!, placed) > 0) low = middle + 1;
      else high = middle;
    }
    this.#line.splice(low, 0, placed);
  }

  remove(id: number): Item | undefined {
    const at = this.#line.findIndex((entry) => entry.id === id);
    if (at < 0) return undefined;
    const [entry] = this.#line.splice(at, 1);
    this.#part(entry!);
    return entry!.item;
  }

  /** A stable look at the line, first to go first; removing while looking is allowed. */
  *inOrder(): Generator<Item> {
    const line = this.#line.slice();
    for (let at = line.length - 1; at >= 0; at -= 1) yield line[at]!.item;
  }

  #join(entry: WaitingItem<Item>): number {
    const key = groupKey(entry);
    const group = this.#groups.get(key) ?? { first: entry.arrival, waiting: 0 };
    group.first = Math.min(group.first, entry.arrival);
    group.waiting += 1;
    this.#groups.set(key, group);
    return group.first;
  }

  #part(entry: PlacedItem<Item>): void {
    const key = groupKey(entry);
    const group = this.#groups.get(key)!;
    group.waiting -= 1;
    if (group.waiting === 0) this.#groups.delete(key);
  }
}

function groupKey(entry: WaitingItem<unknown>): string {
  return `${entry.parent} ${entry.search}`;
}

function compare(left: PlacedItem<unknown>, right: PlacedItem<unknown>): number {
  return compareUrgency(left.urgency, right.urgency) || left.group - right.group || left.arrival - right.arrival;
}
