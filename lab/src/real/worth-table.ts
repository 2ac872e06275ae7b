// Tables that compare rules that stop a vote, at equal cost.

import { mean } from '@coppice/core/base';
import { percentile } from '../statistics.ts';
import { percentage } from './percentage.ts';
import {
  aheadAt,
  type ReplayedCurves,
  sameAccuracy,
  type WorstGap,
  type WorthInterval,
  worstGap,
} from './worth-curves.ts';
import type { Arm, Replayed } from './worth-replay.ts';

export interface WorthRow {
  readonly rule: string;
  /** At each budget. */
  readonly right: readonly (number | undefined)[];
  readonly sameAccuracy: WorthInterval;
  /** Behind the best of what it is held against, from two samples to all of them. */
  readonly gap: WorstGap | undefined;
  /** The same at budgets beyond, which only a judge can spend. */
  readonly beyond: WorstGap | undefined;
  /** Of the rule that a variant is of, or of its rivals: points ahead at each budget. */
  readonly ahead: Readonly<Record<string, readonly (WorthInterval | undefined)[]>>;
  /** Mean number and time in tokens, and 90th percentiles, at the level whose cost is nearest to each budget. */
  readonly waves: readonly {
    readonly mean: number;
    readonly p90: number;
    readonly time: number;
    readonly time90: number;
  }[];
}

/** Budgets from two samples to all of them. */
export function budgetsTo(most: number): number[] {
  return Array.from({ length: most - 1 }, (_, at) => at + 2);
}

const uniform = ['vote', 'weighted vote', 'best of n'];

/** Rules that a variant is held against draw as it draws; in waves, one at a time. */
function rivalsOf({ name, variantOf }: Arm, rules: readonly string[]): string[] {
  const how = name.slice((variantOf ?? name).length);
  const same = ['lead', 'blind'].map((rule) => (rules.includes(`${rule}${how}`) ? `${rule}${how}` : rule));
  return [...uniform, ...same].filter((rule) => rule !== name);
}

export function worthRows(all: ReplayedCurves, replayed: readonly Replayed[]): WorthRow[] {
  return replayed.map(({ arm, levels }, at) => {
    const rivals = rivalsOf(arm, all.rules);
    const others = arm.variantOf === undefined ? rivals : [arm.variantOf];
    const isHeld = arm.name.startsWith('auto') || arm.variantOf !== undefined;
    return {
      rule: arm.name,
      right: all.right[at]!,
      sameAccuracy: sameAccuracy(all, arm.name),
      gap: worstGap(all, arm.name, rivals, budgetsTo(all.most)),
      beyond: worstGap(all, arm.name, rivals, all.budgets.slice(all.most - 1)),
      ahead: Object.fromEntries(
        isHeld ? others.map((other) => [other, all.budgets.map((each) => aheadAt(all, arm.name, other, each))]) : [],
      ),
      waves: all.budgets.map((budget) => {
        const costs = all.curves[at]!.map(([cost]) => Math.abs(cost - budget));
        const { waves, times } = levels[costs.indexOf(Math.min(...costs))]!;
        const numbers = { mean: mean([...waves]), p90: percentile([...waves], 90) };
        return { ...numbers, time: mean([...times]), time90: percentile([...times], 90) };
      }),
    };
  });
}

export function worthLines(rows: readonly WorthRow[], all: readonly number[], shown: readonly number[]): string[] {
  const columns = shown.map((budget) => all.indexOf(budget)).filter((at) => at >= 0);
  const wide = (cells: readonly string[], width: number) => cells.map((cell) => cell.padStart(width)).join('');
  return [
    `${'right, %'.padEnd(28)}${wide(
      columns.map((at) => String(all[at])),
      7,
    )}   as good as all     most behind (of, at); with more than all unjudged`,
    ...rows.map(({ rule, right, sameAccuracy: same, gap, beyond, waves }) => {
      const cells = columns.map((at) => (right[at] === undefined ? '–' : percentage(right[at])));
      const behind = [gap, beyond]
        .map((each) => (each ? `${points(each)} ${each.other}, ${each.samples}` : '–'))
        .join('; ');
      const inWaves = columns
        .map(
          (at) =>
            `${waves[at]!.mean.toFixed(1)} (${waves[at]!.p90}), ${waves[at]!.time.toFixed(0)} (${waves[at]!.time90})`,
        )
        .join('  ');
      return `${rule.padEnd(28)}${wide(cells, 7)}   ${ratio(same).padEnd(19)}${behind}${rule.includes(', ') ? `   waves, tokens long ${inWaves}` : ''}`;
    }),
    'points ahead',
    ...rows.flatMap(({ rule, ahead }) =>
      Object.entries(ahead).map(
        ([other, every]) =>
          `${`${rule} − ${other}`.padEnd(44)}${wide(
            columns.map((at) => (every[at] === undefined ? '–' : points(every[at]))),
            20,
          )}`,
      ),
    ),
  ];
}

export function points({ value, low, high }: WorthInterval): string {
  return `${percentage(value)} [${percentage(low)}, ${percentage(high)}]`;
}

/** A rule that never reaches the accuracy has no upper end. */
export function ratio({ value, low, high }: WorthInterval): string {
  const said = (each: number) => (Number.isFinite(each) ? each.toFixed(2) : '–');
  return Number.isFinite(value) ? `${said(value)} [${said(low)}, ${said(high)}]` : '–';
}
