// Our policies beside their baselines, up to deep overload: the comparison, and one chart of it. The chart shows each policy's share of the
// clairvoyant capacity, setting by setting, and its latencies relative to the base, load by load.

import { mean } from '@coppice/core/base';
import type { NamedChart } from '../experiment/experiment.ts';
import { type LabPlan, listed } from '../experiment/plan.ts';
import type { Panel } from '../experiment/svg.ts';
import type { Cell } from '../sim/comparison.ts';
import { type Line, linesOf } from '../sim/report.ts';
import { comparisonOf } from './comparison.ts';

export const policies = comparisonOf({
  name: 'policies',
  about: "safe beside positive, boost and TAPER's rule, up to deep overload",
  page: 'policies-measured.md',
  takes: '1 hour',
  published: ['--policy positive,safe --load 1p,2p,8p --requests 1024 --each'],
  preset: {
    rows: ['positive', 'boost', 'taper', 'safe'],
    requests: 800,
    loads: listed(['1p', '2p', '8p']),
  },
  charts: (cells, plan) => [policyChart(plan, cells)],
});

function policyChart(plan: LabPlan, cells: readonly Cell[]): NamedChart {
  const lines = linesOf(cells, plan.base);
  const panels = [
    sharePanel(plan, cells),
    ratioPanel(plan, lines, `p99 against ${plan.base}`, ({ againstBase }) => againstBase?.p99?.value),
    ratioPanel(plan, lines, `p50 against ${plan.base}`, ({ againstBase }) => againstBase?.p50?.value),
  ];
  const note = `Simulated. ${plan.requests} requests a point, seeds ${plan.seeds.join(', ')}; latencies over ${plan.settings.join(', ')}.`;
  const title = 'Policies: share of the clairvoyant capacity, and how many times better latencies are';
  return { name: 'policies', chart: { title, note, panels, columns: 3 } };
}

function sharePanel({ settings, rows }: LabPlan, cells: readonly Cell[]): Panel {
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
  { loads, rows }: LabPlan,
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
