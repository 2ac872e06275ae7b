// P1's figure 10: mean latency of self-consistency at fixed arrival rates, adding gang scheduling, the exit of certainty and shortest first one
// after the other. With --trees on a real model's samples of GSM8K, the paper's task.

import { mean } from '@coppice/core/base';
import type { LabExperiment, TrialSource } from '../experiment/experiment.ts';
import { type LabTable, tableOf, withHalf } from '../experiment/table.ts';
import { type TurnedWish, tookMs, warmUpShare, yieldOf } from '../service/index.ts';
import { heavyTail, server, workloads } from '../service-levels/workloads.ts';
import { capacityIn, placesOf, type SeededSetting } from '../sim/comparison.ts';
import { type TrialSpec, trialDefaults } from '../sim/trial.ts';
import { type Estimate, estimate } from '../statistics.ts';

const { program, knobs, certain, strands } = workloads[0]!;

/** Parts join in downwards; the order of an engine as it is comes first. */
const stages = {
  'longest-prefix': { order: 'longest-prefix' },
  gang: { order: 'gang' },
  'gang + sjf': { order: 'sjf' },
  'longest-prefix + certain': { order: 'longest-prefix', ...certain },
  'gang + certain': { order: 'gang', ...certain },
  'gang + certain + sjf': { order: 'sjf', ...certain },
} as const satisfies Record<string, TurnedWish>;
type BreakdownStage = keyof typeof stages;

/** Of the capacity without an exit. */
const loads = [0.85, 1.2] as const;
const samples = 15;

interface BreakdownCell extends SeededSetting {
  readonly stage: BreakdownStage;
  readonly load: number;
  readonly requests: number;
  readonly trees?: string;
}

interface BreakdownRun {
  readonly meanSeconds: number;
  readonly tokens: number;
  /** In percent. */
  readonly accuracy: number;
}

export const p1Breakdown: LabExperiment<BreakdownCell, BreakdownRun> = {
  name: 'p1-breakdown',
  about: "P1's figure 10: mean latency by gang scheduling, certainty and shortest first",
  page: 'experiments/p1.md',
  takes: '5 minutes',
  published: ['', '--requests 1319 --seeds 3 --trees lab/recorded/qwen2.5-coder-1.5b-gsm8k.trees.gz'],
  preset: { settings: ['math500/8b'], seeds: [1, 2, 3, 4], requests: 600 },
  flags: ['setting', 'seed', 'seeds', 'requests', 'trees'],
  leastRequests: 100,
  cells: (plan) =>
    loads.flatMap((load) =>
      (Object.keys(stages) as BreakdownStage[]).flatMap((stage) =>
        placesOf(plan).map((place) => ({
          ...place,
          stage,
          load,
          requests: plan.requests,
          ...(plan.trees !== undefined && { trees: plan.trees }),
        })),
      ),
    ),
  measure: async (cell, trials) => {
    const result = await trials.run(await specAt(cell, trials));
    const warm = result.served.slice(Math.floor(warmUpShare * cell.requests));
    const { tokens, accuracy } = yieldOf(result);
    return { meanSeconds: mean(warm.map(tookMs)) / 1000, tokens, accuracy };
  },
  report: (found, { settings, seeds, requests, trees }) => {
    const lines = [...Map.groupBy(found, ({ cell }) => `${cell.load} ${cell.stage}`).values()].map((own) => {
      const { load, stage } = own[0]!.cell;
      const of = (read: (run: BreakdownRun) => number) => estimate([own.map(({ result }) => read(result))]);
      return {
        load,
        stage,
        seconds: of((run) => run.meanSeconds),
        tokens: of((run) => run.tokens),
        accuracy: of((run) => run.accuracy),
      };
    });
    const from = trees === undefined ? `${settings[0]}, lengths lognormal (${heavyTail})` : `recorded trees ${trees}`;
    const head = `Simulated machine: ${from}; seeds ${seeds.join(', ')}; ${requests} questions a run, ${samples} samples each; one server of ${server.sequenceLimit} sequences. Loads: multiples of its capacity without an exit.`;
    return { head, body: [breakdownTable(lines)], data: { lines } };
  },
};

interface BreakdownLine {
  readonly load: number;
  readonly stage: BreakdownStage;
  readonly seconds: Estimate;
  readonly tokens: Estimate;
  readonly accuracy: Estimate;
}

async function specAt(cell: BreakdownCell, trials: TrialSource): Promise<TrialSpec> {
  const full = await trials.once(specOf(cell, { order: 'fcfs' }, { kind: 'backlog' }, strands));
  const perSecond = cell.load * capacityIn(full);
  return specOf(cell, stages[cell.stage], { kind: 'rate', perSecond });
}

/** Every search is admitted unless `budget` says otherwise: the queue is the engine's. */
function specOf(
  { setting, seed, requests, trees }: BreakdownCell,
  turned: TurnedWish,
  arrivals: TrialSpec['arrivals'],
  budget = 100_000,
): TrialSpec {
  return {
    ...trialDefaults,
    setting,
    seed,
    requests,
    arrivals,
    budget,
    rollouts: samples,
    size: server,
    contender: { program, policy: 'vanilla', knobs: { ...knobs, ...turned } },
    ...(trees === undefined ? { profile: { lengthSpread: heavyTail } } : { trees }),
  };
}

function breakdownTable(lines: readonly BreakdownLine[]): LabTable {
  const base = ({ load }: BreakdownLine) =>
    lines.find((each) => each.load === load && each.stage === 'longest-prefix')!;
  return tableOf<BreakdownLine>(
    [
      { heading: 'load', of: ({ load }) => load },
      { heading: 'parts', left: true, of: ({ stage }) => stage },
      { heading: 'mean latency, s', of: ({ seconds }) => withHalf(seconds, 1) },
      { heading: 'times sooner', of: (line) => (base(line).seconds.value / line.seconds.value).toFixed(2) },
      { heading: 'tokens', of: ({ tokens }) => tokens.value.toFixed(0) },
      { heading: 'accuracy, %', of: ({ accuracy }) => accuracy.value.toFixed(1) },
    ],
    lines,
  );
}
