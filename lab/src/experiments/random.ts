// Tests whether a policy loses to one of its own parts: over settings drawn at random, its capacity and p99 against the best of the
// others, each setting by itself. The worst settings are printed first, since a mean would hide them. Accuracy is paired with that of
// `positive`, question by question over all settings.

import type { LabExperiment, TrialSource } from '../experiment/experiment.ts';
import { type Block, type TableColumn, tableOf } from '../experiment/table.ts';
import { type RandomSetting, randomSetting } from '../policies/random-setting.ts';
import { type Arrivals, latenciesOf, type RowName } from '../service/index.ts';
import { capacityIn } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';
import { estimate } from '../statistics.ts';

const challenger: RowName = 'safe';
const rivals: readonly RowName[] = ['positive', 'boost', 'taper'];
/** What the differences of single runs may hide. */
const tolerance = 0.97;

interface RandomCell {
  readonly seed: number;
  readonly at: number;
}

interface Verdicts {
  readonly about: string;
  /** Of the challenger over the best of its rivals: above 1 is better. */
  readonly capacity: number;
  readonly p99: number;
  /** The same at the median. */
  readonly p50: number;
  /** At the median over `positive` alone. */
  readonly overPositive: number;
  /** Points of accuracy above `positive` under load, question by question. */
  readonly gained: readonly number[];
}

export const random: LabExperiment<RandomCell, Verdicts> = {
  name: 'random',
  about: "safe against the best of positive, boost and TAPER's rule in random settings, the worst first",
  page: 'policies-measured.md',
  takes: '15 minutes',
  published: ['--settings 40 --seed 1'],
  preset: { draws: 200 },
  flags: ['seed', 'settings'],
  cells: ({ seeds: [seed], draws }) => Array.from({ length: draws }, (_, at) => ({ seed: seed!, at })),
  measure: verdictOf,
  report: (found, { seeds: [seed], draws }) => {
    const verdicts = found.map(({ result }) => result);
    const head = `Simulated: ${draws} settings drawn at random, seed ${seed}; each at its own load, one run a policy. Above 1 is better.`;
    return { head, body: verdictBlocks(verdicts, 10), data: { seed, verdicts } };
  },
};

async function verdictOf({ seed, at }: RandomCell, trials: TrialSource): Promise<Verdicts> {
  const drawn = randomSetting(seed, at);
  const runAll = (arrivals: Arrivals) =>
    Promise.all([...rivals, challenger].map((row) => trials.run(specOf(drawn, row, arrivals))));
  const capacities = (await runAll({ kind: 'backlog' })).map(capacityIn);
  const runs = await runAll({ kind: 'rate', perSecond: drawn.load * capacities[0]! });
  const latencies = runs.map(latenciesOf);
  const times = (read: (each: (typeof latencies)[number]) => number) => 1 / against(latencies.map(read), Math.min);
  return {
    about: drawn.about,
    capacity: against(capacities, Math.max),
    p99: times(({ p99Ms }) => p99Ms),
    p50: times(({ p50Ms }) => p50Ms),
    overPositive: latencies[0]!.p50Ms / latencies.at(-1)!.p50Ms,
    gained: gainedOver(runs[0]!, runs.at(-1)!),
  };
}

function specOf({ spec }: RandomSetting, row: RowName, arrivals: Arrivals): TrialSpec {
  return { ...spec, contender: contenderOf(row), arrivals };
}

function gainedOver({ served }: TrialResult, challenged: TrialResult): number[] {
  return served.map(({ correct }, at) => 100 * (Number(challenged.served[at]!.correct) - Number(correct)));
}

/** The last value over the best of those before it. */
function against(values: readonly number[], best: (...values: number[]) => number): number {
  return values.at(-1)! / best(...values.slice(0, -1));
}

const compared = { capacity: 'capacity', p99: 'p99', p50: 'p50', overPositive: 'p50 over positive' } as const;
type Compared = keyof typeof compared;

/** The figures of all settings, then the worst settings in words. */
export function verdictBlocks(verdicts: readonly Verdicts[], worst: number): Block[] {
  const sorted = (name: Compared) => verdicts.map((each) => each[name]).sort((a, b) => a - b);
  const at =
    (share: number): TableColumn<Compared>['of'] =>
    (name) =>
      sorted(name)[Math.min(verdicts.length - 1, Math.floor(share * verdicts.length))]!.toFixed(2);
  const held = (name: Compared) => sorted(name).filter((value) => value >= tolerance).length;
  const columns: readonly TableColumn<Compared>[] = [
    { heading: `${challenger} over the best of ${rivals.join(', ')}`, left: true, of: (name) => compared[name] },
    { heading: `at least ${tolerance}`, of: (name) => `${held(name)} of ${verdicts.length}` },
    { heading: 'worst', of: at(0) },
    { heading: '5 %', of: at(0.05) },
    { heading: 'median', of: at(0.5) },
    { heading: '95 %', of: at(0.95) },
  ];
  const lowest = (each: Verdicts) => Math.min(each.capacity, each.p99, each.p50);
  const cases = [...verdicts].sort((a, b) => lowest(a) - lowest(b)).slice(0, worst);
  return [
    tableOf(columns, Object.keys(compared) as Compared[]),
    accuracyLine(verdicts),
    cases
      .map(({ about, capacity, p99, p50 }) => {
        return `capacity ${capacity.toFixed(2)}, p99 ${p99.toFixed(2)}, p50 ${p50.toFixed(2)}: ${about}`;
      })
      .join('\n'),
  ];
}

function accuracyLine(verdicts: readonly Verdicts[]): string {
  const gained = verdicts.flatMap((each) => each.gained);
  const { value, half = 0 } = estimate([gained]);
  return `accuracy over positive: ${value.toFixed(2)} ± ${half.toFixed(2)} points, ${gained.length} questions`;
}
