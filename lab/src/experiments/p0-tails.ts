// P0's figures 3 and 6a: the time of sequential MCTS with and without the positive exit, one question at a time, and how well the reward of a
// first step predicts the score of its whole path. With --trees on a real model's samples.

import { mean } from '@coppice/core/base';
import type { LabExperiment, MeasuredCell, NamedChart } from '../experiment/experiment.ts';
import type { Panel } from '../experiment/svg.ts';
import { type LabTable, tableOf } from '../experiment/table.ts';
import { type RowName, tookMs } from '../service/index.ts';
import { placesOf, type SeededSetting, specOf } from '../sim/comparison.ts';
import type { FinishedPath } from '../sim/finished-paths.ts';
import type { TrialSpec } from '../sim/trial.ts';
import { percentile } from '../statistics.ts';

interface TailCell extends SeededSetting {
  readonly row: RowName;
  readonly spec: TrialSpec;
}

interface TailRun {
  readonly seconds: readonly number[];
  /** Searches that had all their rollouts. */
  readonly exhausted: number;
  readonly paths: readonly Pick<FinishedPath, 'first' | 'score' | 'right'>[];
}

type TailRuns = readonly MeasuredCell<TailCell, TailRun>[];

/** Upper ends of the bins of first rewards. */
const firstBins = [0.2, 0.4, 0.6, 0.8, 1] as const;
const percentiles = [10, 25, 50, 75, 90, 99] as const;
const paperRollouts = 32;

export const p0Tails: LabExperiment<TailCell, TailRun> = {
  name: 'p0-tails',
  about: "P0's figures 3 (latencies of sequential MCTS) and 6a (first reward against final score)",
  page: 'experiments/p0.md',
  takes: '2 minutes',
  published: [
    '',
    '--setting math500/8b --trees lab/recorded/qwen2.5-coder-1.5b-gsm8k.trees.gz',
    '--setting math500/8b --trees lab/recorded/qwen2.5-coder-1.5b-math500.trees.gz',
  ],
  preset: {
    settings: ['math500/8b', 'amc23/8b'],
    rows: ['vanilla', 'positive'],
    requests: 200,
    rollouts: paperRollouts,
    budget: 1,
  },
  flags: ['setting', 'seed', 'seeds', 'requests', 'rollouts', 'threshold', 'trees'],
  leastRequests: 1,
  cells: (plan) =>
    plan.rows.flatMap((row) =>
      placesOf(plan).map((place) => {
        const spec = specOf(plan, { ...place, row }, { kind: 'one-by-one' });
        return { ...place, row, spec: row === 'vanilla' ? { ...spec, pathed: true as const } : spec };
      }),
    ),
  measure: async ({ spec }, trials) => {
    const { served, paths = [] } = await trials.run(spec);
    return {
      seconds: served.map((each) => tookMs(each) / 1000),
      exhausted: served.filter(({ exit }) => exit === 'exhausted').length,
      paths: paths.flat().map(({ first, score, right }) => ({ first, score, right })),
    };
  },
  report: (found, { settings, seeds, requests, rollouts, threshold, trees }) => {
    const from = trees === undefined ? settings.join(', ') : `recorded trees ${trees}`;
    const head = `Simulated machine: ${from}; seeds ${seeds.join(', ')}; ${requests} questions, one at a time, ${rollouts} rollouts one after the other, threshold ${threshold}.`;
    const bins = settings.flatMap((setting) => binsOf(found, setting, threshold));
    return {
      head,
      body: ['Figure 3, seconds:', latencyTable(found), 'Figure 6a:', binTable(bins)],
      // The page draws the simulated ones.
      charts: trees === undefined ? [figure3(found, head), figure6a(bins, head)] : [],
      data: { latencies: latencyRows(found), bins },
    };
  },
};

interface LatencyRow {
  readonly setting: string;
  readonly row: RowName;
  readonly seconds: readonly number[];
  /** In percent. */
  readonly exhausted: number;
}

function latencyRows(found: TailRuns): LatencyRow[] {
  const rows = Map.groupBy(found, ({ cell: { setting, row } }) => `${setting} ${row}`);
  return Array.from(rows.values(), (own) => {
    const { setting, row } = own[0]!.cell;
    const seconds = own.flatMap(({ result }) => result.seconds);
    const exhausted = own.reduce((sum, { result }) => sum + result.exhausted, 0);
    return { setting, row, seconds, exhausted: (100 * exhausted) / seconds.length };
  });
}

function latencyTable(found: TailRuns): LabTable {
  return tableOf<LatencyRow>(
    [
      { heading: 'setting', left: true, of: ({ setting }) => setting },
      { heading: '', left: true, of: ({ row }) => row },
      { heading: 'mean', of: ({ seconds }) => mean(seconds).toFixed(1) },
      ...percentiles.map((at) => ({
        heading: `p${at}`,
        of: ({ seconds }: LatencyRow) => percentile(seconds, at).toFixed(1),
      })),
      { heading: 'p99 over p50', of: ({ seconds }) => (percentile(seconds, 99) / percentile(seconds, 50)).toFixed(1) },
      { heading: 'all rollouts, %', of: ({ exhausted }) => exhausted.toFixed(0) },
    ],
    latencyRows(found),
  );
}

interface FirstBin {
  readonly setting: string;
  readonly from: number;
  readonly to: number;
  readonly paths: number;
  readonly score: number;
  /** In percent. */
  readonly reach: number;
  readonly right: number;
  /** Of first reward and final score over all paths of the setting. */
  readonly correlation: number;
}

function binsOf(found: TailRuns, setting: string, threshold: number): FirstBin[] {
  const paths = found.flatMap(({ cell, result }) => (cell.setting === setting ? result.paths : []));
  const correlation = correlationOf(paths.map(({ first, score }) => [first, score] as const));
  return firstBins.map((to, at) => {
    const from = firstBins[at - 1] ?? 0;
    const own = paths.filter(({ first }) => first <= to && (first > from || at === 0));
    const share = (is: (path: TailRun['paths'][number]) => boolean) => 100 * mean(own.map((each) => Number(is(each))));
    return {
      setting,
      from,
      to,
      correlation,
      paths: own.length,
      score: mean(own.map(({ score }) => score)),
      reach: share(({ score }) => score >= threshold),
      right: share(({ right }) => right),
    };
  });
}

function correlationOf(pairs: readonly (readonly [number, number])[]): number {
  const [x, y] = [mean(pairs.map(([each]) => each)), mean(pairs.map(([, each]) => each))];
  const sum = (of: (a: number, b: number) => number) => pairs.reduce((all, [a, b]) => all + of(a - x, b - y), 0);
  return sum((a, b) => a * b) / Math.sqrt(sum((a) => a * a) * sum((_, b) => b * b));
}

function binTable(bins: readonly FirstBin[]): LabTable {
  const filled = (text: (bin: FirstBin) => string) => (bin: FirstBin) => (bin.paths === 0 ? '' : text(bin));
  return tableOf<FirstBin>(
    [
      { heading: 'setting', left: true, of: ({ setting }) => setting },
      { heading: 'first reward', of: ({ from, to }) => `${from} to ${to}` },
      { heading: 'paths', of: ({ paths }) => paths },
      { heading: 'final score, mean', of: filled(({ score }) => score.toFixed(2)) },
      { heading: 'reach the threshold, %', of: filled(({ reach }) => reach.toFixed(1)) },
      { heading: 'right, %', of: filled(({ right }) => right.toFixed(1)) },
      { heading: 'correlation', of: ({ correlation, to }) => (to === firstBins[0] ? correlation.toFixed(2) : '') },
    ],
    bins,
  );
}

/** Share of the questions by time, in bins of a twentieth of the longest. */
function figure3(found: TailRuns, note: string): NamedChart {
  const rows = latencyRows(found);
  const panels = [...new Set(rows.map(({ setting }) => setting))].map((setting): Panel => {
    const own = rows.filter((each) => each.setting === setting);
    const width = Math.max(...own.flatMap(({ seconds }) => seconds)) / 20;
    return {
      title: setting,
      xLabel: 'latency, s',
      yLabel: 'questions, %',
      series: own.map(({ row, seconds }, colour) => ({
        name: row,
        colour,
        points: Array.from({ length: 20 }, (_, bin) => {
          const inside = seconds.filter((each) => Math.min(19, Math.floor(each / width)) === bin).length;
          return [(bin + 0.5) * width, (100 * inside) / seconds.length] as const;
        }),
      })),
    };
  });
  return {
    name: 'p0-figure-3',
    chart: { title: 'Latency of sequential MCTS (P0, figure 3)', note, panels, columns: 2 },
  };
}

function figure6a(bins: readonly FirstBin[], note: string): NamedChart {
  const panels = [...Map.groupBy(bins, ({ setting }) => setting)].map(([setting, own]): Panel => {
    const points = (read: (bin: FirstBin) => number) =>
      own.filter(({ paths }) => paths > 0).map((bin) => [(bin.from + bin.to) / 2, read(bin)] as const);
    return {
      title: setting,
      xLabel: 'reward of the first step',
      yLabel: 'percent',
      series: [
        { name: '100 × mean final score', colour: 0, points: points(({ score }) => 100 * score) },
        { name: 'paths that reach the threshold', colour: 1, points: points(({ reach }) => reach) },
      ],
    };
  });
  return {
    name: 'p0-figure-6a',
    chart: { title: 'First reward and final score (P0, figure 6a)', note, panels, columns: 2 },
  };
}
