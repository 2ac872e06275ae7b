// P0's evaluation (§5) in the simulator: the canonical comparison with figures 7 and 8, which show the same cells, and figures 2 and 4,
// which have cells of their own on its first seed.

import { mean } from '@coppice/core/base';
import type { LabExperiment, TrialSource } from '../experiment/experiment.ts';
import { type LabPlan, listed } from '../experiment/plan.ts';
import { yieldOf } from '../service/index.ts';
import { type Cell, type ComparedCell, compareCell, comparedCells } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import { comparison, comparisonReport } from './comparison.ts';
import {
  type Efficiency,
  figure2,
  figure4,
  figure7,
  figure8,
  figureSize,
  latencyPoints,
  type Parallel,
  parallelSetting,
  systems,
} from './p0-charts.ts';

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

export const p0: LabExperiment<P0Cell, P0Result> = {
  name: 'p0',
  about: "the comparison with P0's figures 2, 4, 7 and 8",
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
      charts: [figure2(plan, efficiency), figure4(plan, parallel), figure7(plan, latencies), figure8(plan, cells)],
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
  const { requests } = figureSize;
  const spec = { ...trialDefaults, setting, seed, contender: contenderOf(system), requests, rollouts: 12 };
  const { tokens, accuracy } = yieldOf(await trials.run({ ...spec, arrivals: { kind: 'backlog' } }));
  return { setting, system, tokens, accuracy };
}

function parallelCells({ seeds }: LabPlan): ParallelCell[] {
  return figureSize.degrees.map((degree) => ({ figure: 4, setting: parallelSetting, seed: seeds[0]!, degree }));
}

async function parallelOf({ setting, seed, degree }: ParallelCell, trials: TrialSource): Promise<Parallel> {
  const base = { ...trialDefaults, setting, seed };
  const all = { ...base, contender: contenderOf('vanilla'), requests: 5 * figureSize.hardest };
  const questions = hardestOf(await trials.once({ ...all, arrivals: { kind: 'backlog' } }), figureSize.hardest);
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
