// Finish-time fairness: how many times longer a request takes in company than it takes alone, on an idle machine under the same
// policy. A policy may slow everybody down a little or a few a lot; the median says the first, how far the tail lies above it the
// second. Each request is compared with itself.

import {
  type Arrivals,
  assert,
  percentile,
  type RowName,
  raise,
  type Served,
  type SettingName,
  warmUpShare,
} from 'coppice/internals';
import { capacityOf } from '../sim/capacity.ts';
import type { ComparisonPlan } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import { type TrialSpec, trialDefaults } from '../sim/trial.ts';
import type { TrialPool } from '../sim/trial-pool.ts';

export interface Slowdowns {
  readonly setting: SettingName;
  readonly row: RowName;
  readonly load: string;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

type FairnessPlan = Pick<
  ComparisonPlan,
  'settings' | 'rows' | 'seeds' | 'loads' | 'requests' | 'budget' | 'rollouts' | 'threshold' | 'calibration'
>;

/** Loads are multiples of what `positive` sustains in the same setting. */
export async function fairnessOf(plan: FairnessPlan, pool: Pick<TrialPool, 'run'>): Promise<Slowdowns[]> {
  const { settings, rows, loads } = plan;
  const yardsticks = await pool.run(settings.map((setting) => specOf(plan, setting, 'positive', { kind: 'backlog' })));
  const alone = await pool.run(
    settings.flatMap((setting) => rows.map((row) => specOf(plan, setting, row, { kind: 'one-by-one' }))),
  );
  const places = settings.flatMap((setting, at) =>
    rows.flatMap((row, rowAt) =>
      loads.map((load) => ({ setting, row, load, alone: alone[at * rows.length + rowAt]! })),
    ),
  );
  const other = loads.find(({ of }) => of !== 'positive');
  if (other !== undefined) raise('bad-setting', `--load is '${other.name}'; here it must be a multiple of p, as 1p`);
  const rateOf = (setting: SettingName, factor: number) => {
    const capacity = capacityOf(yardsticks[settings.indexOf(setting)]!);
    assert(capacity !== undefined, 'a backlog keeps searches waiting; more requests than the budget are needed');
    return factor * capacity;
  };
  const runs = await pool.run(
    places.map(({ setting, row, load }) => {
      return specOf(plan, setting, row, { kind: 'rate', perSecond: rateOf(setting, load.factor) });
    }),
  );
  return places.map(({ setting, row, load, alone: own }, at) => {
    return { setting, row, load: load.name, ...slowdownsOf(runs[at]!.served, own.served) };
  });
}

function specOf(plan: FairnessPlan, setting: SettingName, row: RowName, arrivals: Arrivals): TrialSpec {
  const { requests, budget, rollouts, threshold, calibration, seeds } = plan;
  const size = { requests, budget, rollouts, threshold, seed: seeds[0]! };
  const given = { setting, contender: contenderOf(row), arrivals, ...(calibration && { calibration }) };
  return { ...trialDefaults, ...size, ...given };
}

/** The first requests meet an empty system, and are left out as everywhere. */
export function slowdownsOf(
  together: readonly Served[],
  alone: readonly Served[],
): Pick<Slowdowns, 'p50' | 'p90' | 'p99'> {
  const took = ({ arrivalMs, endedMs }: Served) => endedMs - arrivalMs;
  const ratios = together.map((each, at) => took(each) / took(alone[at]!));
  const warm = ratios.slice(Math.floor(warmUpShare * ratios.length));
  return { p50: percentile(warm, 50), p90: percentile(warm, 90), p99: percentile(warm, 99) };
}

export function fairnessLines(slowdowns: readonly Slowdowns[]): string[] {
  return [
    '| setting | load | policy | slower than alone: median | 90 % | 99 % | 99 % over the median |',
    '|---|---|---|--:|--:|--:|--:|',
    ...slowdowns.map(({ setting, load, row, p50, p90, p99 }) => {
      const figures = [p50, p90, p99, p99 / p50].map((each) => each.toFixed(1));
      return `| ${setting} | ${load} | ${row} | ${figures.join(' | ')} |`;
    }),
  ];
}
