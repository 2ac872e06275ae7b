// A piecewise linear curve: what a measured table gives between its points, with sums over unit steps in closed form, so
// that a simulation can jump over thousands of decode steps and land on the same instant as one that walks them.
// Before the first and after the last point it goes on with the slope of the nearest piece, but never falls on the right.

import { assert } from '../base/assert.ts';

export interface Curve {
  /** Strictly rising. */
  readonly x: readonly number[];
  readonly y: readonly number[];
}

export function curve(points: readonly (readonly [number, number])[]): Curve {
  assert(points.length > 0, 'a curve needs a point');
  for (let at = 1; at < points.length; at += 1) {
    assert(points[at]![0] > points[at - 1]![0], `the points of a curve rise in x; point ${at} does not`);
  }
  return { x: points.map(([x]) => x), y: points.map(([, y]) => y) };
}

/** Exact at the points, and never outside its two neighbours between them. */
export function valueAt(curve: Curve, x: number): number {
  const piece = pieceOf(curve, x);
  const from = curve.x[piece]!;
  if (x === from) return curve.y[piece]!;
  const next = curve.x[piece + 1];
  if (next !== undefined && x >= next) return curve.y[piece + 1]! + slopeOf(curve, piece, x) * (x - next);
  return curve.y[piece]! + slopeOf(curve, piece, x) * (x - from);
}

export function sumFrom(curve: Curve, x: number, count: number): number {
  let sum = 0;
  let at = x;
  for (let left = count; left > 0; ) {
    const run = runLength(curve, at, left);
    sum += runSum(valueAt(curve, at), slopeAt(curve, at), run);
    at += run;
    left -= run;
  }
  return sum;
}

/** The smallest whole count for which the sum of that many values reaches `target`; never less than 1. */
export function countUntil(curve: Curve, x: number, target: number): number {
  let sum = 0;
  let count = 0;
  for (;;) {
    const at = x + count;
    const run = runLength(curve, at, Number.POSITIVE_INFINITY);
    const first = valueAt(curve, at);
    const slope = slopeAt(curve, at);
    if (run === Number.POSITIVE_INFINITY || sum + runSum(first, slope, run) >= target) {
      return count + solveRun(first, slope, target - sum);
    }
    sum += runSum(first, slope, run);
    count += run;
  }
}

/** Both curves mixed point by point: (1 - share) of the one and share of the other. */
export function blend(one: Curve, other: Curve, share: number): Curve {
  const x = [...new Set([...one.x, ...other.x])].sort((a, b) => a - b);
  return { x, y: x.map((at) => (1 - share) * valueAt(one, at) + share * valueAt(other, at)) };
}

/** The curve raised by a straight line: by `rise` at x, and by `slope` more with each unit of x. */
export function tilted(curve: Curve, x: number, rise: number, slope: number): Curve {
  const xs = [...curve.x, curve.x.at(-1)! + far];
  return { x: xs, y: xs.map((at) => valueAt(curve, at) + rise + slope * (at - x)) };
}

/** Beyond any context: how a curve goes on to the right is settled before it is raised. */
const far = 1e9;

function pieceOf(curve: Curve, x: number): number {
  let piece = 0;
  while (piece < curve.x.length - 2 && x >= curve.x[piece + 1]!) piece += 1;
  return piece;
}

function slopeAt(curve: Curve, x: number): number {
  return slopeOf(curve, pieceOf(curve, x), x);
}

function slopeOf(curve: Curve, piece: number, x: number): number {
  const { x: xs, y: ys } = curve;
  if (piece + 1 >= xs.length) return 0;
  const slope = (ys[piece + 1]! - ys[piece]!) / (xs[piece + 1]! - xs[piece]!);
  return x >= xs[xs.length - 1]! ? Math.max(0, slope) : slope;
}

/** Counts the next unit steps from x whose values lie on one straight line. */
function runLength(curve: Curve, x: number, most: number): number {
  const piece = pieceOf(curve, x);
  const end = curve.x[piece + 1];
  if (end === undefined || x >= end) return most;
  return Math.min(most, Math.floor(end - x) + 1);
}

function runSum(first: number, slope: number, count: number): number {
  return count * first + (slope * count * (count - 1)) / 2;
}

/** The smallest whole count from 1 with runSum(first, slope, count) >= target. */
function solveRun(first: number, slope: number, target: number): number {
  if (target <= first) return 1;
  const b = first - slope / 2;
  const root = slope === 0 ? target / first : (Math.sqrt(Math.max(0, b * b + 2 * slope * target)) - b) / slope;
  let count = Math.max(1, Math.floor(root));
  while (count > 1 && runSum(first, slope, count - 1) >= target) count -= 1;
  while (runSum(first, slope, count) < target) count += 1;
  return count;
}
