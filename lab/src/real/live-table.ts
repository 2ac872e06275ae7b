// The rows of the judged table that need a live server: the default against the first contender at its rate, question by question over all seeds;
// and the default at a faster rate against itself and against replayed samples with as many tokens. Pure.

import { mean } from '@coppice/core/base';
import { meanDifference, percentile } from '../statistics.ts';
import { percentage } from './percentage.ts';
import type { ServedLine } from './served-questions.ts';

/** Share of right answers of replayed samples with so many tokens of both models. */
export type ReplayedRight = (tokens: number) => number | undefined;

export function liveTable(lines: readonly ServedLine[], replayed: ReplayedRight = () => undefined): string[] {
  const cells = [...Map.groupBy(lines, ({ perSecond, contender }) => `${perSecond} ${contender}`).values()];
  const slowest = Math.min(...lines.map(({ perSecond }) => perSecond));
  const first = cells.find(([line]) => line!.perSecond === slowest)!;
  return cells.map((cell) => {
    const own = cell[0]!;
    const before = own.perSecond === slowest ? first : cells.find((each) => isSlower(each[0]!, own));
    return [
      `${own.perSecond.toFixed(2)} a second, ${own.contender}: ${cell.length} answers of ${seedsOf(cell)} seeds`,
      `${percentage(rightOf(cell))} % right`,
      `p90 ${p90(cell).toFixed(2)} s`,
      `${tokensOf(cell).toFixed(0)} tokens`,
      ...refusals(cell),
      ...(before === undefined || before === cell ? [] : [against(cell, before)]),
      ...shortOf(cell, replayed),
    ].join(', ');
  });
}

function isSlower(one: ServedLine, other: ServedLine): boolean {
  return one.contender === other.contender && one.perSecond < other.perSecond;
}

/** Paired: the same question under the same seed; a question counts once, however many seeds asked it. */
function against(cell: readonly ServedLine[], before: readonly ServedLine[]): string {
  const others = new Map(before.map((line) => [keyOf(line), Number(line.correct)]));
  const paired = cell.filter((line) => others.has(keyOf(line)));
  const gains = [...Map.groupBy(paired, ({ question }) => question).values()].map((same) =>
    mean(same.map((line) => Number(line.correct) - others.get(keyOf(line))!)),
  );
  const { value, low, high } = meanDifference(gains);
  const points = [value, low, high].map(percentage);
  const { perSecond, contender } = before[0]!;
  const times = (p90(cell) / p90(before)).toFixed(2);
  return `over ${contender} at ${perSecond.toFixed(2)}: ${points[0]} [${points[1]}, ${points[2]}] points, ${times} times its p90`;
}

function shortOf(cell: readonly ServedLine[], replayed: ReplayedRight): string[] {
  const right = replayed(tokensOf(cell));
  if (right === undefined) return [];
  return [`${percentage(rightOf(cell) - right)} points over ${percentage(right)} % of replayed samples`];
}

/** The largest rate at which the first contender answers nine in ten within so many seconds. */
export function heldRate(lines: readonly ServedLine[], withinSeconds: number): number | undefined {
  const own = lines.filter(({ contender }) => contender === lines[0]!.contender);
  const rates = [...Map.groupBy(own, ({ perSecond }) => perSecond)];
  const held = rates.flatMap(([perSecond, cell]) => (p90(cell) <= withinSeconds ? [perSecond] : []));
  return held.length === 0 ? undefined : Math.max(...held);
}

/** Draws of arrivals differ between seeds; the load's name says which it was. */
function keyOf({ load, question }: ServedLine): string {
  return `${seedIn(load)} ${question}`;
}

function seedIn(load: string): string {
  return / seed (\d+)$/.exec(load)?.[1] ?? '1';
}

function seedsOf(lines: readonly ServedLine[]): number {
  return new Set(lines.map(({ load }) => seedIn(load))).size;
}

function rightOf(lines: readonly ServedLine[]): number {
  return mean(lines.map(({ correct }) => Number(correct)));
}

function tokensOf(lines: readonly ServedLine[]): number {
  return mean(lines.map(({ generatedTokens, scoredTokens }) => generatedTokens + scoredTokens));
}

function p90(lines: readonly ServedLine[]): number {
  return percentile(
    lines.map(({ latencyMs }) => latencyMs / 1000),
    90,
  );
}

function refusals(lines: readonly ServedLine[]): string[] {
  const count = lines.filter(({ isRefused }) => isRefused).length;
  return count === 0 ? [] : [`${count} refused`];
}
