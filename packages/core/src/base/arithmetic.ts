// Numbers that several parts need: counting, middles and percentiles of unsorted values, and dealing units out.

import { assert } from './assert.ts';

/** Names made by counting: the same run makes the same names. */
export class Counter {
  #next: number;

  constructor(first = 0) {
    this.#next = first;
  }

  take(): number {
    const value = this.#next;
    this.#next += 1;
    return value;
  }
}

/** The upper one where two are in the middle; there must be a value. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

export function meanOrZero(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function mean(values: readonly number[]): number {
  assert(values.length > 0, 'a mean of nothing');
  return meanOrZero(values);
}

/** The nearest-rank percentile: the smallest value that at least `percent` % of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  assert(values.length > 0, 'a percentile of nothing');
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]!;
}

/** Deals units out one at a time, in order, round after round, to those with room: how many each gets. */
export function evenly(rooms: readonly number[], units: number): number[] {
  let left = units;
  let level = 0;
  let sharing = rooms.length;
  for (const room of [...rooms].sort((a, b) => a - b)) {
    // All that still share can rise to `room` together, or the units run out on the way.
    const rounds = Math.min(room - level, Math.floor(left / sharing));
    level += rounds;
    left -= rounds * sharing;
    if (level < room) break;
    sharing -= 1;
  }
  return rooms.map((room) => {
    const extra = room > level && left > 0 ? 1 : 0;
    left -= extra;
    return Math.min(room, level) + extra;
  });
}
