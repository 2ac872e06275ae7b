// Right answers over cost for rules that stop a vote, interpolated between two levels of a rule, as if each search drew lots between them.
// Budgets are numbers of samples: their tokens, unjudged. Intervals are by the bootstrap over questions, the same questions for all rules.

import { mean, type Random } from '@coppice/core/base';
import { percentile } from '../statistics.ts';
import type { VoteQuestion } from './worth-course.ts';
import type { Replayed } from './worth-replay.ts';

/** One level of a rule: cost in samples, share of right answers. */
export type CostAndRight = readonly [cost: number, right: number];

/** Right answers at a cost. A rule that cannot spend as much keeps its last point; one that always costs more has none. */
export function rightAt(curve: readonly CostAndRight[], cost: number): number | undefined {
  const above = curve.findIndex(([each]) => each >= cost - 1e-9);
  if (above < 0) return curve.at(-1)![1];
  if (above === 0) return curve[0]![0] <= cost + 1e-9 ? curve[0]![1] : undefined;
  const [[low, from], [high, to]] = [curve[above - 1]!, curve[above]!];
  return from + ((to - from) * (cost - low)) / (high - low);
}

/** The least cost at which a rule reaches this share of right answers; infinite if it never does. */
export function costOf(curve: readonly CostAndRight[], right: number): number {
  const above = curve.findIndex(([, each]) => each >= right - 1e-9);
  if (above < 0) return Number.POSITIVE_INFINITY;
  if (above === 0) return curve[0]![0];
  const [[low, from], [high, to]] = [curve[above - 1]!, curve[above]!];
  return low + ((high - low) * (right - from)) / (to - from);
}

/** The curves of one bootstrap draw of questions, by rule. */
export interface DrawnCurves {
  readonly curves: readonly (readonly CostAndRight[])[];
  /** At each budget. */
  readonly right: readonly (readonly (number | undefined)[])[];
}

export interface ReplayedCurves extends DrawnCurves {
  readonly rules: readonly string[];
  readonly budgets: readonly number[];
  /** Samples that each question has. */
  readonly most: number;
  readonly drawn: readonly DrawnCurves[];
}

const usualResamples = 1000;

/** Tokens of each question's samples. */
export function tokensOf(questions: readonly VoteQuestion[]): number[] {
  return questions.map(({ tokens }) => tokens.reduce((sum, each) => sum + each, 0));
}

/** Tokens of a sample. */
export function usualOf(questions: readonly VoteQuestion[]): number {
  return mean(tokensOf(questions)) / questions[0]!.tokens.length;
}

export function curvesOf(
  tokens: readonly number[],
  most: number,
  replayed: readonly Replayed[],
  budgets: readonly number[],
  random: Random,
  resamples = usualResamples,
): ReplayedCurves {
  const perSample = Float64Array.from(tokens, (all) => all / most);
  const count = tokens.length;
  const read = (weights: Float64Array): DrawnCurves => {
    const sample = product(perSample, weights);
    const curves = replayed.map(({ levels }) =>
      levels.map(
        ({ right, spent }): CostAndRight => [product(spent, weights) / sample, product(right, weights) / count],
      ),
    );
    return { curves, right: curves.map((curve) => budgets.map((budget) => rightAt(curve, budget))) };
  };
  const drawn = Array.from({ length: resamples }, () => {
    const weights = new Float64Array(count);
    for (let each = 0; each < count; each += 1) weights[random.integer(count)]! += 1;
    return read(weights);
  });
  const rules = replayed.map(({ arm }) => arm.name);
  return { ...read(new Float64Array(count).fill(1)), rules, budgets, most, drawn };
}

function product(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += left[at]! * right[at]!;
  return sum;
}

export interface WorthInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export function interval(
  all: ReplayedCurves,
  of: (curves: DrawnCurves) => number | undefined,
): WorthInterval | undefined {
  const value = of(all);
  if (value === undefined) return undefined;
  const values = all.drawn.map(of).filter((each) => each !== undefined);
  return { value, low: percentile(values, 2.5), high: percentile(values, 97.5) };
}

/** Lead of a rule over another at one of the budgets, as a share. */
export function aheadAt(all: ReplayedCurves, rule: string, other: string, budget: number): WorthInterval | undefined {
  const [mine, its, at] = [all.rules.indexOf(rule), all.rules.indexOf(other), all.budgets.indexOf(budget)];
  return interval(all, ({ right }) => less(right[mine]![at], right[its]![at]));
}

/** Mean lead over all budgets that both can keep to. */
export function aheadInMean(all: ReplayedCurves, rule: string, other: string): WorthInterval {
  const [mine, its] = [all.rules.indexOf(rule), all.rules.indexOf(other)];
  const meanOf = ({ right }: DrawnCurves) => {
    const gains = right[mine]!.map((each, at) => less(each, right[its]![at])).filter((each) => each !== undefined);
    return gains.reduce((sum, each) => sum + each, 0) / gains.length;
  };
  return interval(all, meanOf)!;
}

function less(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? undefined : left - right;
}

/** The budget at which a rule is furthest behind the best of the others. */
export interface WorstGap extends WorthInterval {
  readonly samples: number;
  readonly other: string;
}

/** The gap as a share, above 0 if the other is better; the interval is that of the pair at that budget. */
export function worstGap(
  all: ReplayedCurves,
  rule: string,
  others: readonly string[],
  within = all.budgets,
): WorstGap | undefined {
  const mine = all.right[all.rules.indexOf(rule)]!;
  let worst: { behind: number; samples: number; other: string } | undefined;
  for (const samples of within)
    for (const other of others) {
      const at = all.budgets.indexOf(samples);
      const behind = less(all.right[all.rules.indexOf(other)]![at], mine[at]);
      if (behind !== undefined && behind > (worst?.behind ?? Number.NEGATIVE_INFINITY))
        worst = { behind, samples, other };
    }
  if (worst === undefined) return undefined;
  const { samples, other } = worst;
  return { ...aheadAt(all, other, rule, samples)!, samples, other };
}

/** Tokens at which a rule is within half a point of the weighted vote of all samples, relative to that vote's; infinite if it never is. */
export function sameAccuracy(all: ReplayedCurves, rule: string): WorthInterval {
  const [mine, weighted] = [all.rules.indexOf(rule), all.rules.indexOf('weighted vote')];
  return interval(all, ({ curves }) => {
    const [cost, right] = curves[weighted]!.at(-1)!;
    return costOf(curves[mine]!, right - allowedLoss) / cost;
  })!;
}

const allowedLoss = 0.005;
