// Rules that stop a vote, compared at equal cost: accuracy by share of the tokens of all samples unjudged, between two levels of a rule in proportion,
// as if searches took one or the other by lot. Intervals are by the bootstrap over questions, the same questions for all rules.

import { percentile, type Random } from '@coppice/core/base';
import { percentage } from './percentage.ts';
import type { Sample } from './rivals.ts';
import type { Arm, Replayed } from './worth-replay.ts';

/** One level of a rule: share of the tokens, share of right answers. */
type CostAndRight = readonly [cost: number, right: number];

/** Right answers at a cost; a rule that cannot spend as much keeps its last point, one that costs more has none. */
export function rightAt(curve: readonly CostAndRight[], cost: number): number | undefined {
  const above = curve.findIndex(([each]) => each >= cost - 1e-9);
  if (above < 0) return curve.at(-1)![1];
  if (above === 0) return curve[0]![0] <= cost + 1e-9 ? curve[0]![1] : undefined;
  const [[low, from], [high, to]] = [curve[above - 1]!, curve[above]!];
  return from + ((to - from) * (cost - low)) / (high - low);
}

/** The least cost at which a rule has so many right answers; infinite where it never does. */
export function costOf(curve: readonly CostAndRight[], right: number): number {
  const above = curve.findIndex(([, each]) => each >= right - 1e-9);
  if (above < 0) return Number.POSITIVE_INFINITY;
  if (above === 0) return curve[0]![0];
  const [[low, from], [high, to]] = [curve[above - 1]!, curve[above]!];
  return low + ((high - low) * (right - from)) / (to - from);
}

export interface WorthInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface WorthRow {
  readonly rule: string;
  /** By share. */
  readonly right: readonly (number | undefined)[];
  /** Points ahead of other rules, as shares; by share. */
  readonly ahead: Readonly<Record<string, readonly (WorthInterval | undefined)[]>>;
  /** Tokens at the accuracy of the weighted vote of all samples less half a point, of that vote's own; infinite where the rule is never as good. */
  readonly sameAccuracy: WorthInterval;
  /** Points below the best rule, as a share: the most at any number of unjudged samples from two on that the rule can keep to. */
  readonly behind: number;
  /** Mean number and 90th percentile, at each share. */
  readonly waves: readonly { readonly mean: number; readonly p90: number }[];
}

const resamples = 1000;
/** Rules that the line is held against. */
const rivals = ['vote', 'weighted vote', 'lead'];
const allowedLoss = 0.005;

export function worthRows(
  questions: readonly (readonly Sample[])[],
  replayed: readonly Replayed[],
  shares: readonly number[],
  random: Random,
): WorthRow[] {
  const tokens = Float64Array.from(questions, (samples) => samples.reduce((sum, each) => sum + each.tokens, 0));
  const told = read(replayed, tokens, new Float64Array(questions.length).fill(1), shares);
  const drawn = Array.from({ length: resamples }, () => {
    const weights = new Float64Array(questions.length);
    for (let each = 0; each < questions.length; each += 1) weights[random.integer(questions.length)]! += 1;
    return read(replayed, tokens, weights, shares);
  });
  const names = replayed.map(({ arm }) => arm.name);
  const behind = mostBehind(told.curves, questions[0]!.length);
  return replayed.map(({ arm, levels }, at) => {
    const ahead = rivalsOf(arm).map((name) => {
      const other = names.indexOf(name);
      return [
        name,
        shares.map((_, column) =>
          interval(told, drawn, ({ right }) => less(right[at]![column], right[other]![column])),
        ),
      ];
    });
    return {
      rule: arm.name,
      right: told.right[at]!,
      ahead: Object.fromEntries(ahead),
      sameAccuracy: interval(told, drawn, ({ same }) => same[at])!,
      behind: behind[at]!,
      waves: shares.map((share) => {
        const { waves } = levels[nearestTo(told.curves[at]!, share)]!;
        return { mean: waves.reduce((sum, each) => sum + each, 0) / waves.length, p90: percentile([...waves], 90) };
      }),
    };
  });
}

/** Variants are held against their own rule alone. */
function rivalsOf({ name, variantOf }: Arm): readonly string[] {
  if (variantOf !== undefined) return [variantOf];
  return name === 'worth' || name === 'blind' ? rivals : [];
}

/** What one drawing of questions shows, rule by rule. */
interface DrawnCurves {
  readonly curves: readonly (readonly CostAndRight[])[];
  readonly right: readonly (readonly (number | undefined)[])[];
  readonly same: readonly number[];
}

function read(
  replayed: readonly Replayed[],
  tokens: Float64Array,
  weights: Float64Array,
  shares: readonly number[],
): DrawnCurves {
  const all = product(tokens, weights);
  const count = weights.reduce((sum, each) => sum + each, 0);
  const curves = replayed.map(({ levels }) =>
    levels.map(({ right, spent }): CostAndRight => [product(spent, weights) / all, product(right, weights) / count]),
  );
  const [cost, right] = curves[replayed.findIndex(({ arm }) => arm.name === 'weighted vote')]!.at(-1)!;
  return {
    curves,
    right: curves.map((curve) => shares.map((share) => rightAt(curve, share))),
    same: curves.map((curve) => costOf(curve, right - allowedLoss) / cost),
  };
}

function product(left: Float64Array, right: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < left.length; at += 1) sum += left[at]! * right[at]!;
  return sum;
}

function less(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? undefined : left - right;
}

function interval(
  told: DrawnCurves,
  drawn: readonly DrawnCurves[],
  of: (reading: DrawnCurves) => number | undefined,
): WorthInterval | undefined {
  const value = of(told);
  if (value === undefined) return undefined;
  const values = drawn.map(of).filter((each) => each !== undefined);
  return { value, low: percentile(values, 2.5), high: percentile(values, 97.5) };
}

function mostBehind(curves: DrawnCurves['curves'], samples: number): number[] {
  const most = Math.max(...curves.map((curve) => curve.at(-1)![0]));
  const behind = curves.map(() => 0);
  for (let count = 2; count <= Math.ceil(most * samples); count += 1) {
    const right = curves.map((curve) => rightAt(curve, count / samples));
    const best = Math.max(...right.map((each) => each ?? 0));
    for (const [at, each] of right.entries()) behind[at] = Math.max(behind[at]!, best - (each ?? best));
  }
  return behind;
}

function nearestTo(curve: readonly CostAndRight[], share: number): number {
  return curve.reduce(
    (best, [cost], at) => (Math.abs(cost - share) < Math.abs(curve[best]![0] - share) ? at : best),
    0,
  );
}

export function worthLines(rows: readonly WorthRow[], shares: readonly number[]): string[] {
  const wide = (text: string) => text.padStart(7);
  const line = (name: string, cells: readonly string[], last: string) =>
    `${name.padEnd(24)}${cells.map(wide).join('')}${last}`;
  return [
    line('right, %', shares.map(String), '   as good as all  behind the best'),
    ...rows.map(({ rule, right, sameAccuracy: { value, low, high }, behind, waves }) => {
      const same = Number.isFinite(value) ? `${value.toFixed(2)} [${low.toFixed(2)}, ${high.toFixed(2)}]` : '–';
      const wave = waves.map(({ mean, p90 }) => `${mean.toFixed(1)} (${p90})`).join('  ');
      return line(
        rule,
        right.map((each) => (each === undefined ? '–' : percentage(each))),
        `   ${same.padEnd(17)}${percentage(behind).padStart(5)}${rule.includes(' + ') ? `   waves ${wave}` : ''}`,
      );
    }),
    'points ahead',
    ...rows.flatMap(({ rule, ahead }) =>
      Object.entries(ahead).map(([name, all]) => {
        const cells = all.map((each) =>
          each === undefined ? '–' : `${percentage(each.value)} [${percentage(each.low)}, ${percentage(each.high)}]`,
        );
        return `${`${rule} − ${name}`.padEnd(40)}${cells.map((cell) => cell.padStart(20)).join('')}`;
      }),
    ),
  ];
}
