// Figures 2, 4 and 7 of P0 as the simulator sees them, with the numbers behind each.

import { mean, type SettingName, yieldOf } from 'coppice/internals';
import { estimateRatio } from '../statistics.ts';
import { type Chart, svgOf } from '../svg.ts';
import type { Cell, ComparisonPlan } from './comparison.ts';
import { contenderOf } from './contenders.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from './trial.ts';
import type { TrialPool } from './trial-pool.ts';

export interface Figure {
  readonly name: string;
  readonly svg: string;
  readonly data: unknown;
}

/** Sizes at which figures 2 and 4 take a minute or two. */
const size = { requests: 160, hardest: 40, degrees: [1, 2, 4, 8, 16] } as const;

/** Figure 7 is another view of the comparison's own runs; the other two are runs of their own, on its first seed. */
export async function makeFigures(plan: ComparisonPlan, cells: readonly Cell[], pool: TrialPool): Promise<Figure[]> {
  const seed = plan.seeds[0]!;
  return [await efficiency(plan, pool, seed), await parallelism(pool, seed), latencyCurves(plan, cells)];
}

/** Figure 2: tokens and accuracy of beam search (8 beams) and MCTS (12 rollouts), with and without positive exit. */
async function efficiency(plan: ComparisonPlan, pool: TrialPool, seed: number): Promise<Figure> {
  const names = ['beam', 'beam+positive', 'vanilla', 'positive'];
  const settings = plan.settings.filter((setting) => setting.startsWith('math500'));
  const specs = settings.flatMap((setting) =>
    names.map((name): TrialSpec => {
      const arrivals = { kind: 'backlog' } as const;
      const { requests } = size;
      return { ...trialDefaults, setting, seed, contender: contenderOf(name), arrivals, requests, rollouts: 12 };
    }),
  );
  const results = (await pool.run(specs)).map(yieldOf);
  const data = specs.map(({ setting }, at) => {
    const { tokens, accuracy } = results[at]!;
    return { setting, system: names[at % names.length]!, tokens, accuracy };
  });
  const panel = (setting: string, value: 'tokens' | 'accuracy', yLabel: string) => ({
    title: setting,
    xLabel: '',
    yLabel,
    categories: ['beam search', 'MCTS'],
    series: ['to the end', 'positive exit'].map((name, exit) => ({
      name,
      colour: exit,
      points: [0, 1].map((kind) => {
        const row = data.find((each) => each.setting === setting && each.system === names[2 * kind + exit]);
        return [kind, row![value]] as const;
      }),
    })),
  });
  const panels = settings.flatMap((setting) => [
    panel(setting, 'tokens', 'tokens per question'),
    panel(setting, 'accuracy', 'accuracy, %'),
  ]);
  const note = `Simulated. Seed ${seed}, ${size.requests} questions a bar.`;
  const title = 'Tokens and accuracy: beam search of 8 and MCTS of 12 rollouts (P0, figure 2)';
  return { name: 'p0-figure-2', svg: svgOf({ title, note, panels, columns: 2 }), data };
}

/** Figure 4: the questions that take most tokens, one search at a time, with more and more rollouts in parallel. */
async function parallelism(pool: TrialPool, seed: number): Promise<Figure> {
  const setting: SettingName = 'math500/8b';
  const base = { ...trialDefaults, setting, seed, contender: contenderOf('vanilla') };
  const [serial] = await pool.run([{ ...base, arrivals: { kind: 'backlog' }, requests: 5 * size.hardest }]);
  const hardest = hardestOf(serial!, size.hardest);
  const oneByOne = { arrivals: { kind: 'one-by-one' }, questions: hardest, requests: hardest.length } as const;
  const runs = await pool.run(
    size.degrees.map((degree) => ({ ...base, ...oneByOne, contender: { program: 'parallel' }, budget: degree })),
  );
  const data = runs.map((run, at) => ({
    degree: size.degrees[at]!,
    meanSeconds: mean(run.served.map(({ arrivalMs, endedMs }) => endedMs - arrivalMs)) / 1000,
    accuracy: yieldOf(run).accuracy,
  }));
  const chart: Chart = {
    title: `${size.hardest} hardest of ${5 * size.hardest} questions, one search at a time (P0, figure 4)`,
    note: `Simulated. ${setting}, seed ${seed}, 16 rollouts, no early exit.`,
    columns: 2,
    panels: [
      panelOf(
        'mean latency, s',
        data.map((each) => [each.degree, each.meanSeconds]),
      ),
      panelOf(
        'accuracy, %',
        data.map((each) => [each.degree, each.accuracy]),
      ),
    ],
  };
  return { name: 'p0-figure-4', svg: svgOf(chart), data };
}

function panelOf(yLabel: string, points: readonly (readonly [number, number])[]) {
  const series = [{ name: 'WU-PUCT', colour: 0, points }];
  return { title: yLabel, xLabel: 'rollouts in parallel', yLabel, series };
}

function hardestOf({ served }: TrialResult, count: number): number[] {
  const order = served.map(({ tokens }, question) => ({ tokens, question }));
  order.sort((a, b) => b.tokens - a.tokens || a.question - b.question);
  return order.slice(0, count).map(({ question }) => question);
}

/** Figure 7: p50 and p99 as the arrival rate grows, all systems on the same questions at the same instants. */
function latencyCurves(plan: ComparisonPlan, cells: readonly Cell[]): Figure {
  const data = plan.settings.flatMap((setting) =>
    plan.rows.flatMap((row) => {
      const own = cells.filter((cell) => cell.setting === setting && cell.row === row);
      return plan.loads.map((load) => ({ setting, row, ...overSeeds(own, load.name) }));
    }),
  );
  const panels = plan.settings.map((setting) => ({
    title: setting,
    xLabel: 'requests per second',
    yLabel: 'latency, s',
    logarithmic: true,
    series: plan.rows.flatMap((row, colour) =>
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
  }));
  const title = 'Latency against arrival rate: p99 and, dashed, p50 (P0, figure 7)';
  const loads = plan.loads.map(({ name }) => name).join(', ');
  const note = `Simulated. Loads ${loads}; ${plan.requests} requests a point, mean of seeds ${plan.seeds.join(', ')}.`;
  return { name: 'p0-figure-7', svg: svgOf({ title, note, panels, columns: 2 }), data };
}

function overSeeds(cells: readonly Cell[], load: string) {
  const at = cells.flatMap((cell) => cell.loads.filter((each) => each.load === load));
  return {
    perSecond: mean(at.map((each) => each.perSecond)),
    p50: estimateRatio([at.map((each) => each.p50Ms / 1000)]).value,
    p99: estimateRatio([at.map((each) => each.p99Ms / 1000)]).value,
  };
}
