// Numbers that several parts need: counting, middles of unsorted values, dealing units out, and a line through log odds.

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

export interface CountedOutcomes {
  readonly reading: number;
  readonly yes: number;
  readonly all: number;
}

/** Height at 0 and slope. */
export type OddsLine = readonly [height: number, slope: number];

export function chanceOf(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

/** A straight line of log odds through counted outcomes: logistic regression on one reading, by Newton's method. Held near a line, the more by the larger the weight: where outcomes are all alike no other end is known. */
export function logisticLine(outcomes: readonly CountedOutcomes[], near: OddsLine, weight: number): OddsLine {
  let [height, slope] = near;
  for (let step = 0; step < 25; step += 1) {
    let [up, upSlope] = [weight * (near[0] - height), weight * (near[1] - slope)];
    let [curve, curveBoth, curveSlope] = [weight, 0, weight];
    for (const { reading, yes, all } of outcomes) {
      const chance = chanceOf(height + slope * reading);
      const [miss, spread] = [yes - all * chance, all * chance * (1 - chance)];
      up += miss;
      upSlope += miss * reading;
      curve += spread;
      curveBoth += spread * reading;
      curveSlope += spread * reading ** 2;
    }
    const determinant = curve * curveSlope - curveBoth ** 2;
    height += held((curveSlope * up - curveBoth * upSlope) / determinant);
    slope += held((curve * upSlope - curveBoth * up) / determinant);
  }
  return [height, slope];
}

function held(change: number): number {
  return Math.max(-1, Math.min(1, change));
}
