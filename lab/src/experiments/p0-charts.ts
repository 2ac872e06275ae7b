// P0's figures 2, 4, 7 and 8 as charts, with the measurements of p0.ts.

import { mean } from '@coppice/core/base';
import type { NamedChart } from '../experiment/experiment.ts';
import type { LabPlan } from '../experiment/plan.ts';
import type { Panel } from '../experiment/svg.ts';
import type { SettingName } from '../service/index.ts';
import type { Cell } from '../sim/comparison.ts';
import { estimateRatio } from '../statistics.ts';

export type Efficiency = { readonly setting: SettingName; readonly system: string } & Pick<
  Cell['yield'],
  'tokens' | 'accuracy'
>;

export interface Parallel {
  readonly degree: number;
  readonly meanSeconds: number;
  readonly accuracy: number;
}

/** Sizes for which figures 2 and 4 take a minute or two. */
export const figureSize = { requests: 160, hardest: 40, degrees: [1, 2, 4, 8, 16] } as const;
export const systems = ['beam', 'beam+positive', 'vanilla', 'positive'] as const;
export const parallelSetting: SettingName = 'math500/8b';

export function figure2({ seeds }: LabPlan, data: readonly Efficiency[]): NamedChart {
  const panel = (setting: string, value: 'tokens' | 'accuracy', yLabel: string): Panel => ({
    title: setting,
    xLabel: '',
    yLabel,
    categories: ['beam search', 'MCTS'],
    series: ['to the end', 'positive exit'].map((name, exit) => ({
      name,
      colour: exit,
      points: [0, 1].map((kind) => {
        const row = data.find((each) => each.setting === setting && each.system === systems[2 * kind + exit]);
        return [kind, row![value]] as const;
      }),
    })),
  });
  const panels = [...new Set(data.map(({ setting }) => setting))].flatMap((setting) => [
    panel(setting, 'tokens', 'tokens per question'),
    panel(setting, 'accuracy', 'accuracy, %'),
  ]);
  const note = `Simulated. Seed ${seeds[0]}, ${figureSize.requests} questions a bar.`;
  const title = 'Tokens and accuracy: beam search of 8 and MCTS of 12 rollouts (P0, figure 2)';
  return { name: 'p0-figure-2', chart: { title, note, panels, columns: 2 } };
}

export function figure4({ seeds }: LabPlan, data: readonly Parallel[]): NamedChart {
  const panel = (yLabel: string, read: (each: Parallel) => number): Panel => ({
    title: yLabel,
    xLabel: 'rollouts in parallel',
    yLabel,
    series: [{ name: 'WU-PUCT', colour: 0, points: data.map((each) => [each.degree, read(each)] as const) }],
  });
  const panels = [
    panel('mean latency, s', ({ meanSeconds }) => meanSeconds),
    panel('accuracy, %', ({ accuracy }) => accuracy),
  ];
  const title = `${figureSize.hardest} hardest of ${5 * figureSize.hardest} questions, one search at a time (P0, figure 4)`;
  const note = `Simulated. ${parallelSetting}, seed ${seeds[0]}, 16 rollouts, no early exit.`;
  return { name: 'p0-figure-4', chart: { title, note, panels, columns: 2 } };
}

type LatencyPoint = Pick<Cell, 'setting' | 'row'> & {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
};

/** Figure 7: p50 and p99 over the arrival rate, for all systems on the same questions at the same instants. */
export function latencyPoints({ settings, rows, loads }: LabPlan, cells: readonly Cell[]): LatencyPoint[] {
  return settings.flatMap((setting) =>
    rows.flatMap((row) => {
      const own = cells.filter((cell) => cell.setting === setting && cell.row === row);
      return loads.map((load) => ({ setting, row, ...overSeeds(own, load.name) }));
    }),
  );
}

function overSeeds(cells: readonly Cell[], load: string) {
  const at = cells.flatMap((cell) => cell.loads.filter((each) => each.load === load));
  return {
    perSecond: mean(at.map((each) => each.perSecond)),
    p50: estimateRatio([at.map((each) => each.p50Ms / 1000)]).value,
    p99: estimateRatio([at.map((each) => each.p99Ms / 1000)]).value,
  };
}

export function figure7(
  { settings, rows, loads, requests, seeds }: LabPlan,
  data: readonly LatencyPoint[],
): NamedChart {
  const panels = settings.map(
    (setting): Panel => ({
      title: setting,
      xLabel: 'requests per second',
      yLabel: 'latency, s',
      logarithmic: true,
      series: rows.flatMap((row, colour) =>
        (['p99', 'p50'] as const).map((value) => ({
          name: `${row} ${value}`,
          colour: colour % 8,
          dashed: value === 'p50',
          points: data
            .filter((each) => each.setting === setting && each.row === row)
            .map((each) => [each.perSecond, each[value]] as const)
            .sort(([a], [b]) => a - b),
        })),
      ),
    }),
  );
  const title = 'Latency against arrival rate: p99 and, dashed, p50 (P0, figure 7)';
  const names = loads.map(({ name }) => name).join(', ');
  const note = `Simulated. Loads ${names}; ${requests} requests a point, mean of seeds ${seeds.join(', ')}.`;
  return { name: 'p0-figure-7', chart: { title, note, panels, columns: 2 } };
}

/** Figure 8: requests per second of every system relative to vanilla, one panel per load. */
export function figure8({ settings, rows, loads, requests, seeds }: LabPlan, cells: readonly Cell[]): NamedChart {
  const throughput = (setting: string, row: string, load: string) => {
    const own = cells.filter((cell) => cell.setting === setting && cell.row === row);
    return mean(
      own.flatMap((cell) => cell.loads.filter((each) => each.load === load).map((each) => each.throughputPerSecond)),
    );
  };
  const panels = loads.map(
    ({ name }): Panel => ({
      title: `load ${name}`,
      xLabel: '',
      yLabel: 'requests per second',
      categories: settings,
      series: rows.map((row, colour) => ({
        name: row,
        colour: colour % 8,
        points: settings.map((setting, at) => [at, throughput(setting, row, name)] as const),
      })),
    }),
  );
  const title = 'Throughput of every system (P0, figure 8)';
  const note = `Simulated. ${requests} requests a bar over the time until the last has ended, mean of seeds ${seeds.join(', ')}.`;
  return { name: 'p0-figure-8', chart: { title, note, panels, columns: 1 } };
}
