// The schedulers of others beside `safe`: TAPER's widths, least attained service (LAS) and Agentix's PLAS. Each runs with the positive exit alone, as
// TAPER does, and with the exits and prunes of `safe`, which separates the gain of the order from the gain of the exits.

import type { LabExperiment, MeasuredCell, TrialSource } from '../experiment/experiment.ts';
import { listed } from '../experiment/plan.ts';
import { type TableColumn, tableOf } from '../experiment/table.ts';
import { latenciesOf, type RowName, type SettingName, warmUpShare, yieldOf } from '../service/index.ts';
import { capacityIn, placesOf } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import { type TrialSpec, trialDefaults } from '../sim/trial.ts';
import { estimateRatio } from '../statistics.ts';

const challenger: RowName = 'safe';
/** One GPU a side, as large as its budget: orders of requests matter where more searches run than the engine has room for. */
const place = { ...trialDefaults, budget: 64, size: { replicas: 1, sequenceLimit: 256 } } as const;

interface BaselineCell {
  readonly setting: SettingName;
  readonly seed: number;
  readonly factor: number;
  readonly requests: number;
  readonly row: RowName;
}

interface BaselineFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly tokens: number;
  readonly accuracy: number;
}

export const baselines: LabExperiment<BaselineCell, BaselineFigures> = {
  name: 'baselines',
  about: 'LAS, PLAS and TAPER beside safe, with the positive exit and with the exits of safe',
  page: 'policies-measured.md',
  takes: '10 minutes',
  published: ['--seed 11 --seeds 2 --setting math500/8b'],
  preset: {
    rows: [...['positive', 'taper', 'las+positive', 'plas+positive'], ...['las+safe', 'plas+safe', challenger]],
    settings: ['math500/8b', 'amc23/8b'],
    seeds: [801],
    requests: 300,
    loads: listed(['1p', '2p']),
  },
  flags: ['setting', 'seed', 'seeds', 'requests', 'load', 'policy'],
  cells: (plan) =>
    plan.loads.flatMap(({ factor }) =>
      placesOf(plan).flatMap((spot) => plan.rows.map((row) => ({ ...spot, factor, row, requests: plan.requests }))),
    ),
  measure: figuresOf,
  report: (found, { settings, seeds, requests }) => {
    const lines = [...Map.groupBy(found, ({ cell: { row, factor } }) => `${factor} ${row}`).values()].map((own) =>
      lineOf(own, found),
    );
    const head = [
      `Simulated: ${settings.join(', ')}, ${requests} requests a run, the first ${100 * warmUpShare} % left out of latencies; seeds ${seeds.join(', ')}; M = ${place.budget};`,
      'an H200 for each model, at most 256 sequences. Loads are multiples of what positive sustains. LAS and PLAS know no admission: every search runs at once.',
      'Times are geometric means; ratios are those of the row over those of safe: above 1, safe is ahead.',
    ].join('\n');
    return { head, body: [tableOf(columns, lines)], data: { lines } };
  },
};

async function figuresOf(cell: BaselineCell, trials: TrialSource): Promise<BaselineFigures> {
  const { setting, seed, requests } = cell;
  const of = (row: RowName, arrivals: TrialSpec['arrivals']): TrialSpec => {
    return { ...place, setting, seed, requests, contender: contenderOf(row), arrivals };
  };
  const capacity = capacityIn(await trials.once(of('positive', { kind: 'backlog' })));
  const run = await trials.run(of(cell.row, { kind: 'rate', perSecond: cell.factor * capacity }));
  const { p50Ms, p99Ms } = latenciesOf(run);
  const { tokens, accuracy } = yieldOf(run);
  return { p50Ms, p99Ms, tokens, accuracy };
}

interface BaselineLine {
  readonly load: string;
  readonly row: RowName;
  readonly p50Seconds: number;
  readonly p99Seconds: number;
  readonly p50: string;
  readonly p99: string;
  readonly tokens: number;
  readonly accuracy: number;
}

type Found = readonly MeasuredCell<BaselineCell, BaselineFigures>[];

function lineOf(own: Found, all: Found): BaselineLine {
  const { row, factor } = own[0]!.cell;
  const safe = ({ setting, seed }: BaselineCell) =>
    all.find(
      ({ cell }) => cell.row === challenger && cell.factor === factor && cell.setting === setting && cell.seed === seed,
    );
  const groups = (read: (each: Found[number]) => number) =>
    [...Map.groupBy(own, ({ cell }) => cell.setting).values()].map((each) => each.map(read));
  const over = (read: (figures: BaselineFigures) => number) =>
    estimateRatio(groups(({ result }) => read(result))).value;
  const ratio = (read: (figures: BaselineFigures) => number) => {
    if (safe(own[0]!.cell) === undefined) return '';
    const { value, half } = estimateRatio(groups(({ cell, result }) => read(result) / read(safe(cell)!.result)));
    return value.toFixed(2) + (half === undefined ? '' : ` ± ${half.toFixed(2)}`);
  };
  return {
    load: `${factor}p`,
    row,
    p50Seconds: over(({ p50Ms }) => p50Ms) / 1000,
    p99Seconds: over(({ p99Ms }) => p99Ms) / 1000,
    p50: ratio(({ p50Ms }) => p50Ms),
    p99: ratio(({ p99Ms }) => p99Ms),
    tokens: over(({ tokens }) => tokens),
    accuracy: over(({ accuracy }) => accuracy),
  };
}

const columns: readonly TableColumn<BaselineLine>[] = [
  { heading: 'load', left: true, of: ({ load }) => load },
  { heading: 'row', left: true, of: ({ row }) => row },
  { heading: 'p50 s', of: ({ p50Seconds }) => p50Seconds.toFixed(1) },
  { heading: 'p99 s', of: ({ p99Seconds }) => p99Seconds.toFixed(1) },
  { heading: 'p50 over that of safe', of: ({ p50 }) => p50 },
  { heading: 'p99 over that of safe', of: ({ p99 }) => p99 },
  { heading: 'tokens', of: ({ tokens }) => tokens.toFixed(0) },
  { heading: 'acc %', of: ({ accuracy }) => accuracy.toFixed(1) },
];
