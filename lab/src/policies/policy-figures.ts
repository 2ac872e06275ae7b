// The comparison of policies as one chart: how near each comes to the clairvoyant capacity, setting by setting, and how many times
// better than the base its latencies are, load by load.

import { mean } from 'coppice/internals';
import type { Cell, ComparisonPlan } from '../sim/comparison.ts';
import type { Figure } from '../sim/p0-figures.ts';
import { type Line, linesOf } from '../sim/report.ts';
import { type Panel, svgOf } from '../svg.ts';

export function policyFigures(plan: ComparisonPlan, cells: readonly Cell[]): Figure[] {
  const lines = linesOf(cells, plan.base);
  const panels = [
    sharePanel(plan, cells),
    ratioPanel(plan, lines, `p99 against ${plan.base}`, ({ againstBase }) => againstBase?.p99?.value),
    ratioPanel(plan, lines, `p50 against ${plan.base}`, ({ againstBase }) => againstBase?.p50?.value),
  ];
  const note = `Simulated. ${plan.requests} requests a point, seeds ${plan.seeds.join(', ')}; latencies over ${plan.settings.join(', ')}.`;
  const title = 'Policies: share of the clairvoyant capacity, and how many times better latencies are';
  return [{ name: 'policies', svg: svgOf({ title, note, panels, columns: 3 }), data: lines }];
}

function sharePanel({ settings, rows }: ComparisonPlan, cells: readonly Cell[]): Panel {
  const shareOf = (row: string, setting: string) =>
    mean(
      cells
        .filter((cell) => cell.row === row && cell.setting === setting)
        .map(({ capacity, clairvoyant }) => capacity / clairvoyant),
    );
  return {
    title: 'share of the clairvoyant capacity',
    xLabel: 'setting',
    yLabel: 'share',
    categories: settings,
    series: rows.map((name, colour) => ({
      name,
      colour: colour % 8,
      points: settings.map((setting, at) => [at, shareOf(name, setting)] as const),
    })),
  };
}

function ratioPanel(
  { loads, rows }: ComparisonPlan,
  lines: readonly Line[],
  title: string,
  read: (line: Line) => number | undefined,
): Panel {
  const value = (row: string, load: string) =>
    lines.filter((line) => line.row === row && line.load === load).map(read)[0];
  return {
    title,
    xLabel: 'load',
    yLabel: 'times better',
    categories: loads.map(({ name }) => name),
    series: rows.map((name, colour) => ({
      name,
      colour: colour % 8,
      points: loads.map((load, at) => [at, value(name, load.name) ?? 0] as const),
    })),
  };
}
