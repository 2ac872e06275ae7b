// Whether a policy ever loses to what it is made of: over settings drawn at random, its capacity and its p99 against the best
// of the others, each setting by itself. The worst are printed first: a mean would hide them. Accuracy is paired with that of
// `positive`, question by question over all settings.

import { type Arrivals, assert, latenciesOf, type RowName } from 'coppice/internals';
import { capacityOf } from '../sim/capacity.ts';
import { contenderOf } from '../sim/contenders.ts';
import type { TrialResult, TrialSpec } from '../sim/trial.ts';
import type { TrialPool } from '../sim/trial-pool.ts';
import { estimate } from '../statistics.ts';
import { type RandomSetting, randomSetting } from './random-setting.ts';

export const challenger: RowName = 'safe';
export const rivals: readonly RowName[] = ['positive', 'boost', 'taper'];
/** What the differences of single runs may hide. */
export const tolerance = 0.97;

export interface Verdicts {
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

export async function neverLoses(seed: number, settings: number, pool: Pick<TrialPool, 'run'>): Promise<Verdicts[]> {
  const drawn = Array.from({ length: settings }, (_, at) => randomSetting(seed, at));
  const all = [...rivals, challenger];
  const backlogs = await pool.run(drawn.flatMap((each) => all.map((row) => specOf(each, row, { kind: 'backlog' }))));
  const capacities = backlogs.map((result) => capacityOf(result));
  const rateOf = (at: number) => drawn[at]!.load * must(capacities[at * all.length]);
  const loaded = await pool.run(
    drawn.flatMap((each, at) => all.map((row) => specOf(each, row, { kind: 'rate', perSecond: rateOf(at) }))),
  );
  return drawn.map(({ about }, at) => {
    const own = <Value>(values: readonly Value[]) => values.slice(at * all.length, (at + 1) * all.length);
    const runs = own(loaded);
    const latencies = runs.map(latenciesOf);
    return {
      about,
      capacity: against(own(capacities).map(must), Math.max),
      p99:
        1 /
        against(
          latencies.map(({ p99Ms }) => p99Ms),
          Math.min,
        ),
      p50:
        1 /
        against(
          latencies.map(({ p50Ms }) => p50Ms),
          Math.min,
        ),
      overPositive: latencies[0]!.p50Ms / latencies.at(-1)!.p50Ms,
      gained: gainedOver(runs[0]!, runs.at(-1)!),
    };
  });
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

function must(capacity: number | undefined): number {
  assert(capacity !== undefined, 'a backlog of several budgets keeps searches waiting');
  return capacity;
}

/** The figures of all settings, then the worst of them in words. */
export function verdictLines(verdicts: readonly Verdicts[], worst: number): string[] {
  const columns = { capacity: 'capacity', p99: 'p99', p50: 'p50', overPositive: 'p50 over positive' } as const;
  const names = Object.keys(columns) as (keyof typeof columns)[];
  const figures = names.map((name) => {
    const sorted = verdicts.map((each) => each[name]).sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(2);
    const held = sorted.filter((value) => value >= tolerance).length;
    return `| ${columns[name]} | ${held} of ${sorted.length} | ${at(0)} | ${at(0.05)} | ${at(0.5)} | ${at(0.95)} |`;
  });
  const lowest = (each: Verdicts) => Math.min(each.capacity, each.p99, each.p50);
  const cases = [...verdicts].sort((a, b) => lowest(a) - lowest(b)).slice(0, worst);
  return [
    `| ${challenger} over the best of ${rivals.join(', ')} | at least ${tolerance} | worst | 5 % | median | 95 % |`,
    '|---|--:|--:|--:|--:|--:|',
    ...figures,
    '',
    accuracyLine(verdicts),
    '',
    ...cases.map(({ about, capacity, p99, p50 }) => {
      return `capacity ${capacity.toFixed(2)}, p99 ${p99.toFixed(2)}, p50 ${p50.toFixed(2)}: ${about}`;
    }),
  ];
}

function accuracyLine(verdicts: readonly Verdicts[]): string {
  const gained = verdicts.flatMap((each) => each.gained);
  const { value, half = 0 } = estimate([gained]);
  return `accuracy over positive: ${value.toFixed(2)} ± ${half.toFixed(2)} points, ${gained.length} questions`;
}
