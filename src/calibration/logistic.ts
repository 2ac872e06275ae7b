// Logistic regression by Newton's method, with a ridge that keeps weights finite where the labels are separable. A few
// features and some thousand rows: nothing is approximated, and the same rows give the same weights. Pure.

import { assert } from '../base/assert.ts';

export interface LabelledRow {
  readonly reading: readonly number[];
  readonly label: boolean;
}

export interface LogisticFit {
  readonly bias: number;
  readonly weights: readonly number[];
}

/** Counts of the prior: as if every weight had been seen to be 0 so often. The bias has none. */
const ridge = 1;
const rounds = 30;
const enough = 1e-9;

export function fitLogistic(rows: readonly LabelledRow[]): LogisticFit {
  assert(rows.length > 0, 'a fit of nothing');
  let weights = new Array<number>(1 + rows[0]!.reading.length).fill(0);
  for (let round = 0; round < rounds; round += 1) {
    const step = newtonStep(rows, weights);
    weights = weights.map((weight, at) => weight + step[at]!);
    if (Math.max(...step.map(Math.abs)) < enough) break;
  }
  const [bias, ...rest] = weights;
  return { bias: bias!, weights: rest };
}

/** The step that solves H · step = gradient. */
function newtonStep(rows: readonly LabelledRow[], weights: readonly number[]): number[] {
  const size = weights.length;
  const gradient = weights.map((weight, at) => (at === 0 ? 0 : -ridge * weight));
  const curvature = weights.map((_, i) => weights.map((_, j) => (i === j && i > 0 ? ridge : 0)));
  for (const { reading, label } of rows) {
    const given = [1, ...reading];
    const sum = given.reduce((total, value, at) => total + value * weights[at]!, 0);
    const chance = 1 / (1 + Math.exp(-sum));
    const doubt = Math.max(chance * (1 - chance), Number.EPSILON);
    for (let i = 0; i < size; i += 1) {
      gradient[i]! += ((label ? 1 : 0) - chance) * given[i]!;
      for (let j = 0; j < size; j += 1) curvature[i]![j]! += doubt * given[i]! * given[j]!;
    }
  }
  return solved(curvature, gradient);
}

/** Gauss and Jordan, with the largest pivot; the matrix is positive definite. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, right[at]!]);
  for (let at = 0; at < rows.length; at += 1) {
    const pivot = rows.reduce(
      (best, row, i) => (i >= at && Math.abs(row[at]!) > Math.abs(rows[best]![at]!) ? i : best),
      at,
    );
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    const lead = rows[at]!;
    for (const row of rows) {
      if (row === lead) continue;
      const factor = row[at]! / lead[at]!;
      for (let column = at; column < row.length; column += 1) row[column]! -= factor * lead[column]!;
    }
  }
  return rows.map((row, at) => row[rows.length]! / row[at]!);
}
