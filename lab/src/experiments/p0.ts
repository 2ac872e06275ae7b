// P0's evaluation (§5) as the simulator sees it: the canonical comparison with figure 7, another view of the same cells, and the
// figures 2 and 4, which are cells of their own on its first seed.

import { estimateRatio, mean, type SettingName, yieldOf } from 'coppice/internals';
import type { LabExperiment, NamedChart, TrialSource } from '../experiment/experiment.ts';
import { type LabPlan, listed } from '../experiment/plan.ts';
import type { Panel } from '../experiment/svg.ts';
import { type Cell, type ComparedCell, compareCell, comparedCells } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import { comparison, comparisonReport } from './comparison.ts';

/** Figure 2: tokens and accuracy of beam search (8 beams) and MCTS (12 rollouts), with and without positive exit. */
interface EfficiencyCell extends Pick<Cell, 'setting' | 'seed'> {
  readonly figure: 2;
  readonly system: string;
}

/** Figure 4: the questions that take most tokens, one search at a time, with more and more rollouts in parallel. */
interface ParallelCell extends Pick<Cell, 'setting' | 'seed'> {
  readonly figure: 4;
  readonly degree: number;
}

type P0Cell = (ComparedCell & { readonly figure?: undefined }) | EfficiencyCell | ParallelCell;
type P0Result = Cell | Efficiency | Parallel;

type Efficiency = { readonly setting: SettingName; readonly system: string } & Pick<
  Cell['yield'],
  'tokens' | 'accuracy'
>;

interface Parallel {
  readonly degree: number;
  readonly meanSeconds: number;
  readonly accuracy: number;
}

/** Sizes at which figures 2 and 4 take a minute or two. */
const size = { requests: 160, hardest: 40, degrees: [1, 2, 4, 8, 16] } as const;
const systems = ['beam', 'beam+positive', 'vanilla', 'positive'] as const;
const parallelSetting: SettingName = 'math500/8b';

export const p0: LabExperiment<P0Cell, P0Result> = {
  name: 'p0',
  about: "the comparison with P0's figures 2, 4 and 7",
  page: 'experiments/p0.md',
  takes: '15 minutes',
  published: ['--full --each'],
  preset: { seeds: [1, 2], requests: 144, loads: listed(['0.6v', '1p', '2p']) },
  full: { requests: 256 },
  flags: comparison.flags,
  cells: (plan) => [...comparedCells(plan), ...efficiencyCells(plan), ...parallelCells(plan)],
  measure: (cell, trials) => {
    if (cell.figure === undefined) return compareCell(cell, trials);
    return cell.figure === 2 ? efficiencyOf(cell, trials) : parallelOf(cell, trials);
  },
  report: (found, plan) => {
    const of = <Kind extends P0Result>(figure: P0Cell['figure']) =>
      found.flatMap(({ cell, result }) => (cell.figure === figure ? [result as Kind] : []));
    const [cells, efficiency, parallel] = [of<Cell>(undefined), of<Efficiency>(2), of<Parallel>(4)];
    const report = comparisonReport(cells, plan);
    const latencies = latencyPoints(plan, cells);
    const figures = { 'p0-figure-2': efficiency, 'p0-figure-4': parallel, 'p0-figure-7': latencies };
    return {
      ...report,
      charts: [figure2(plan, efficiency), figure4(plan, parallel), figure7(plan, latencies)],
      data: { ...report.data, figures: Object.entries(figures).map(([name, data]) => ({ name, data })) },
    };
  },
};

function efficiencyCells({ settings, seeds }: LabPlan): EfficiencyCell[] {
  return settings
    .filter((setting) => setting.startsWith('math500'))
    .flatMap((setting) => systems.map((system) => ({ figure: 2, setting, seed: seeds[0]!, system })));
}

async function efficiencyOf({ setting, seed, system }: EfficiencyCell, trials: TrialSource): Promise<Efficiency> {
  const { requests } = size;
  const spec = { ...trialDefaults, setting, seed, contender: contenderOf(system), requests, rollouts: 12 };
  const { tokens, accuracy } = yieldOf(await trials.run({ ...spec, arrivals: { kind: 'backlog' } }));
  return { setting, system, tokens, accuracy };
}

function parallelCells({ seeds }: LabPlan): ParallelCell[] {
  return size.degrees.map((degree) => ({ figure: 4, setting: parallelSetting, seed: seeds[0]!, degree }));
}

async function parallelOf({ setting, seed, degree }: ParallelCell, trials: TrialSource): Promise<Parallel> {
  const base = { ...trialDefaults, setting, seed };
  const all = { ...base, contender: contenderOf('vanilla'), requests: 5 * size.hardest };
  const questions = hardestOf(await trials.once({ ...all, arrivals: { kind: 'backlog' } }), size.hardest);
  const spec: TrialSpec = {
    ...base,
    contender: { program: 'parallel' },
    arrivals: { kind: 'one-by-one' },
    questions,
    requests: questions.length,
    budget: degree,
  };
  const run = await trials.run(spec);
  const meanSeconds = mean(run.served.map(({ arrivalMs, endedMs }) => endedMs - arrivalMs)) / 1000;
  return { degree, meanSeconds, accuracy: yieldOf(run).accuracy };
}

function hardestOf({ served }: TrialResult, count: number): number[] {
  const order = served.map(({ tokens }, question) => ({ tokens, question }));
  order.sort((a, b) => b.tokens - a.tokens || a.question - b.question);
  return order.slice(0, count).map(({ question }) => question);
}

function figure2({ seeds }: LabPlan, data: readonly Efficiency[]): NamedChart {
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
  const note = `Simulated. Seed ${seeds[0]}, ${size.requests} questions a bar.`;
  const title = 'Tokens and accuracy: beam search of 8 and MCTS of 12 rollouts (P0, figure 2)';
  return { name: 'p0-figure-2', chart: { title, note, panels, columns: 2 } };
}

function figure4({ seeds }: LabPlan, data: readonly Parallel[]): NamedChart {
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
  const title = `${size.hardest} hardest of ${5 * size.hardest} questions, one search at a time (P0, figure 4)`;
  const note = `Simulated. ${parallelSetting}, seed ${seeds[0]}, 16 rollouts, no early exit.`;
  return { name: 'p0-figure-4', chart: { title, note, panels, columns: 2 } };
}

type LatencyPoint = Pick<Cell, 'setting' | 'row'> & {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
};

/** Figure 7: p50 and p99 as the arrival rate grows, all systems on the same questions at the same instants. */
function latencyPoints({ settings, rows, loads }: LabPlan, cells: readonly Cell[]): LatencyPoint[] {
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

function figure7({ settings, rows, loads, requests, seeds }: LabPlan, data: readonly LatencyPoint[]): NamedChart {
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
