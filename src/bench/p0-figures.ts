// Figures 2, 4 and 7 of P0 as the simulator sees them, with the numbers behind each.

import type { ComparisonPlan } from './comparison.ts';
import { contenderOf, rows } from './contenders.ts';
import { capacityOf, latenciesOf, yieldOf } from './measures.ts';
import type { Pool } from './pool.ts';
import type { SettingName } from './settings.ts';
import { mean } from './statistics.ts';
import { type Chart, svgOf } from './svg.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from './trial.ts';

export interface Figure {
  readonly name: string;
  readonly svg: string;
  readonly data: unknown;
}

interface Size {
  readonly requests: number;
  /** Queues need more requests than there are strands to show. */
  readonly sweepRequests: number;
  /** Multiples of positive's capacity. */
  readonly rates: readonly number[];
  readonly hardest: number;
  readonly degrees: readonly number[];
}

const sizes: Readonly<Record<'default' | 'full', Size>> = {
  default: { requests: 160, sweepRequests: 320, rates: [0.5, 1, 2], hardest: 40, degrees: [1, 2, 4, 8, 16] },
  full: {
    requests: 400,
    sweepRequests: 800,
    rates: [0.25, 0.5, 0.75, 1, 1.5, 2],
    hardest: 100,
    degrees: [1, 2, 4, 8, 16],
  },
};

export async function makeFigures(plan: ComparisonPlan, pool: Pool, full: boolean): Promise<Figure[]> {
  const size = full ? sizes.full : sizes.default;
  const seed = plan.seeds[0]!;
  return [
    await efficiency(plan, pool, size, seed),
    await parallelism(pool, size, seed),
    await rateSweep(plan, pool, size, seed),
  ];
}

function noteOf(requests: number, seed: number): string {
  return `Simulated. Seed ${seed}, ${requests} requests a point.`;
}

/** Figure 2: tokens and accuracy of beam search (8 beams) and MCTS (12 rollouts), with and without positive exit. */
async function efficiency(plan: ComparisonPlan, pool: Pool, size: Size, seed: number): Promise<Figure> {
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
    ...{ title: setting, xLabel: '', yLabel, categories: ['beam search', 'MCTS'] },
    series: ['to the end', 'positive exit'].map((name, exit) => ({
      ...{ name, colour: exit },
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
  const title = 'Tokens and accuracy: beam search of 8 and MCTS of 12 rollouts (P0, figure 2)';
  return { name: 'p0-figure-2', svg: svgOf({ title, note: noteOf(size.requests, seed), panels, columns: 2 }), data };
}

/** Figure 4: the questions that take most tokens, one search at a time, with more and more rollouts in parallel. */
async function parallelism(pool: Pool, size: Size, seed: number): Promise<Figure> {
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
async function rateSweep(plan: ComparisonPlan, pool: Pool, size: Size, seed: number): Promise<Figure> {
  const base = { ...trialDefaults, seed, requests: size.sweepRequests, budget: plan.budget };
  const settings = plan.settings;
  const yardsticks = await pool.run(
    settings.map((setting) => ({
      ...base,
      setting,
      contender: contenderOf('positive'),
      arrivals: { kind: 'backlog' },
    })),
  );
  const points = settings.flatMap((setting, at) =>
    rows.flatMap((row) =>
      size.rates.map((factor) => ({ setting, row, factor, perSecond: factor * capacityOf(yardsticks[at]!)! })),
    ),
  );
  const runs = await pool.run(
    points.map(({ setting, row, perSecond }) => {
      const arrivals = { kind: 'rate', perSecond } as const;
      return { ...base, setting, contender: contenderOf(row), arrivals };
    }),
  );
  const data = points.map((point, at) => ({ ...point, ...latenciesOf(runs[at]!) }));
  const panels = settings.map((setting) => ({
    ...{ title: setting, xLabel: 'requests per second', yLabel: 'latency, s', logarithmic: true },
    series: rows.flatMap((row, colour) =>
      (['p99Ms', 'p50Ms'] as const).map((value) => ({
        ...{ name: value === 'p99Ms' ? `${row} p99` : `${row} p50`, colour, dashed: value === 'p50Ms' },
        points: data
          .filter((each) => each.setting === setting && each.row === row)
          .map((each) => [each.perSecond, each[value] / 1000] as const),
      })),
    ),
  }));
  const title = 'Latency against arrival rate: p99 and, dashed, p50 (P0, figure 7)';
  return {
    name: 'p0-figure-7',
    svg: svgOf({ title, note: noteOf(size.sweepRequests, seed), panels, columns: 2 }),
    data,
  };
}
