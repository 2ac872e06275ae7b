// How often voted answers are right where searches stop, from recorded samples: the state of the leading answer at each stop, and a logistic fit to
// it. Every set has the same weight, whatever its number of questions.

import { confidenceBy, featuresOf, type VotedStanding } from '@coppice/core/answer';
import { mean, type Random } from '@coppice/core/base';
import { worthOf } from '@coppice/core/tree';
import type { Sample } from './rivals.ts';
import { shippedWaves, shuffled, type Waves } from './worth-course.ts';

export interface VoteStop {
  readonly standing: VotedStanding;
  readonly right: boolean;
}

/** By price, 0 for all samples; then by order, then by question. */
export type VoteStops = readonly (readonly (readonly VoteStop[])[])[];

/** The stops of the line without a judge at each price. The score is that of the leader's first sample. */
export function stopsAt(
  questions: readonly (readonly Sample[])[],
  prices: readonly number[],
  orders: number,
  randomOf: (question: number, order: number) => Random,
): VoteStops {
  const waves = shippedWaves(mean(questions.flat().map(({ tokens }) => tokens)));
  const stops = prices.map(() => Array.from({ length: orders }, (): VoteStop[] => []));
  for (const [question, samples] of questions.entries()) {
    for (let order = 0; order < orders; order += 1) {
      const mixed = shuffled(samples.length, randomOf(question, order)).map((at) => samples[at]!);
      for (const [at, price] of prices.entries()) {
        const leader = leaderOf(mixed.slice(0, stopOf(mixed, price, waves)));
        if (leader !== undefined) stops[at]![order]!.push(leader);
      }
    }
  }
  return stops;
}

/** Samples of the line without a judge, in waves as they ship. */
function stopOf(samples: readonly Sample[], price: number, waves: Waves): number {
  const { length: most } = samples;
  for (let ended = waves.first(price, most); ; ) {
    const drawn = samples.slice(0, ended);
    const votes = [...Map.groupBy(drawn, ({ group }) => group)].filter(([group]) => group !== undefined);
    const [first = 0, second = 0] = votes.map(([, { length }]) => length).sort((a, b) => b - a);
    const lead = (first - second) / Math.sqrt(ended);
    const spent = drawn.reduce((sum, { tokens }) => sum + tokens, 0);
    if (ended === most || worthOf({ lead, spent }) < price) return ended;
    ended = waves.next({ samples: ended, lead, spent }, price, most);
  }
}

/** The answer with most votes, among equals the first; undefined without answers. */
export function leaderOf(samples: readonly Sample[]): VoteStop | undefined {
  const groups = Map.groupBy(samples, ({ group }) => group);
  groups.delete(undefined);
  const [first, ...others] = groups.values();
  if (first === undefined) return undefined;
  const votes = others.reduce((best, each) => (each.length > best.length ? each : best), first);
  const [{ score, right }] = votes as [Sample];
  return { standing: { share: votes.length / samples.length, samples: samples.length, score }, right };
}

export function unscored({ standing: { share, samples }, right }: VoteStop): VoteStop {
  return { standing: { share, samples }, right };
}

/** Keeps weights small where the stops do not speak for larger ones, so that they travel. */
const ridge = 0.002;

/** Newton's method; every set has equal weight. */
export function fitted(sets: readonly (readonly VoteStop[])[]): Parameters<typeof confidenceBy>[0] {
  const size = featuresOf(sets[0]![0]!.standing).length;
  let weights = new Array<number>(size).fill(0);
  for (let step = 0; step < 30; step += 1) {
    const slope = weights.map((each, at) => (at === 0 ? 0 : -ridge * each));
    const curvature = weights.map((_, row) => weights.map((__, at) => (row === at && at > 0 ? ridge : 0)));
    for (const stops of sets) {
      for (const { standing, right } of stops) {
        const features = featuresOf(standing);
        const found = confidenceBy(weights, standing);
        for (const [row, one] of features.entries()) {
          slope[row]! += ((Number(right) - found) * one) / (stops.length * sets.length);
          for (const [at, other] of features.entries())
            curvature[row]![at]! += (found * (1 - found) * one * other) / (stops.length * sets.length);
        }
      }
    }
    const change = solved(curvature, slope);
    weights = weights.map((each, at) => each + change[at]!);
  }
  return weights;
}

/** Gauss's elimination of a symmetric positive matrix. */
function solved(matrix: readonly (readonly number[])[], values: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, values[at]!]);
  for (const [at, pivot] of rows.entries()) {
    for (const [other, row] of rows.entries()) {
      if (other === at) continue;
      const factor = row[at]! / pivot[at]!;
      for (let column = at; column < row.length; column += 1) row[column]! -= factor * pivot[column]!;
    }
  }
  return rows.map((row, at) => row.at(-1)! / row[at]!);
}

export interface Calibration {
  /** Mean distance of what was said and what was right, over ten bins. */
  readonly error: number;
  /** The same of answers that are right as often as was said. */
  readonly perfect: number;
  /** Of the questions: said `from` or more; right of them, with a 95 % interval. */
  readonly said: number;
  readonly right: number;
  readonly low: number;
  readonly high: number;
}

/** `orders`: the stops of all questions in each order; figures are means over orders, with the intervals of a single one. */
export function calibrationOf(
  orders: readonly (readonly VoteStop[])[],
  confidence: (standing: VotedStanding) => number,
  from: number,
  random: Random,
): Calibration {
  const told = orders.map((stops) =>
    stops.map(({ standing, right }) => ({ chance: confidence(standing), right: Number(right) })),
  );
  const sure = told.map((all) => all.filter(({ chance }) => chance >= from));
  const count = mean(sure.map(({ length }) => length));
  const right = count === 0 ? Number.NaN : mean(sure.flat().map((each) => each.right));
  const drawn = (all: (typeof told)[number]) =>
    all.map(({ chance }) => ({ chance, right: Number(random.uniform() < chance) }));
  return {
    error: mean(told.map(binnedError)),
    perfect: mean(told.map((all) => binnedError(drawn(all)))),
    said: count / mean(told.map(({ length }) => length)),
    right,
    ...wilson(right, count),
  };
}

function binnedError(all: readonly { readonly chance: number; readonly right: number }[]): number {
  const bins = Map.groupBy(all, ({ chance }) => Math.min(9, Math.floor(10 * chance)));
  const gaps = [...bins.values()].map((bin) =>
    Math.abs(bin.reduce((sum, { chance, right }) => sum + right - chance, 0)),
  );
  return gaps.reduce((sum, each) => sum + each, 0) / all.length;
}

/** Wilson's interval of a share. */
function wilson(share: number, count: number): { readonly low: number; readonly high: number } {
  const square = 1.96 ** 2;
  const middle = (share + square / (2 * count)) / (1 + square / count);
  const half = (1.96 / (1 + square / count)) * Math.sqrt((share * (1 - share)) / count + square / (4 * count * count));
  return { low: middle - half, high: middle + half };
}
