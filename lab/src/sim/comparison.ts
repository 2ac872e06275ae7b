// The canonical comparison: policies in P0's order over settings, seeds and loads. Loads are relative to capacities that
// the same run measures first (`0.6v`: 0.6 of vanilla's, `1p`: positive's), so that a table says how full the system
// was. Every policy meets the same questions at the same instants; ratios are made per setting and seed, then averaged.

import {
  assert,
  type CalibrationFile,
  type Latencies,
  type Load,
  latenciesOf,
  type MeasuredMachine,
  type RowName,
  type SettingName,
  type Yield,
  yieldOf,
} from 'coppice/internals';
import { clairvoyantCapacity } from '../clairvoyant.ts';
import { capacityOf } from './capacity.ts';
import { contenderOf } from './contenders.ts';
import type { GpuName } from './settings.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from './trial.ts';
import type { TrialPool } from './trial-pool.ts';

export interface ComparisonPlan {
  readonly settings: readonly SettingName[];
  readonly rows: readonly RowName[];
  readonly seeds: readonly number[];
  readonly loads: readonly Load[];
  /** Requests of one run. */
  readonly requests: number;
  readonly budget: number;
  readonly rollouts: number;
  readonly threshold: number;
  readonly roofline: GpuName | undefined;
  /** Servers as `doctor` measured them, instead of P0's hardware. */
  readonly machine?: MeasuredMachine | undefined;
  /** The second row that all are compared with, besides vanilla. */
  readonly base: RowName;
  readonly verifierReuses: boolean;
  /** Of an easy question; see TrialSpec. Not for the runs that measure capacity. */
  readonly deadlineMs?: number | undefined;
  /** A recording to draw from instead of the question profiles. */
  readonly trees?: string | undefined;
  readonly calibration?: CalibrationFile | undefined;
}

/** One policy in one setting under one seed. */
export interface Cell {
  readonly setting: SettingName;
  readonly seed: number;
  readonly row: RowName;
  /** Requests per second. */
  readonly capacity: number;
  /** Of one who knows what comes of every search, on the same questions. */
  readonly clairvoyant: number;
  readonly yield: Yield;
  readonly loads: readonly (Latencies & { readonly load: string; readonly perSecond: number; readonly yield: Yield })[];
}

export async function compare(plan: ComparisonPlan, pool: TrialPool): Promise<Cell[]> {
  const places = plan.settings.flatMap((setting) => plan.seeds.map((seed) => ({ setting, seed })));
  // Those that loads are multiples of are needed, shown or not, and `positive` for the clairvoyant bound.
  const yardsticks = plan.loads.flatMap((load) => (load.of === 'clock' ? [] : [load.of]));
  const measured = [...new Set<RowName>([...plan.rows, 'positive', ...yardsticks])];
  const spots = places.flatMap((place) => measured.map((row) => ({ ...place, row })));
  const backlogs = await pool.run(spots.map((spot) => backlogOf(plan, spot)));
  const capacities = new Map(spots.map((spot, at) => [keyOf(spot), capacityIn(backlogs[at]!)]));
  const bounds = new Map(spots.map((spot, at) => [keyOf(spot), clairvoyantCapacity(backlogs[at]!)]));

  const shown = spots.filter(({ row }) => plan.rows.includes(row));
  const loaded = shown.flatMap((spot) =>
    plan.loads.map((load) => ({
      spot,
      load,
      perSecond: load.factor * (load.of === 'clock' ? 1 : capacities.get(keyOf({ ...spot, row: load.of }))!),
    })),
  );
  const runs = await pool.run(loaded.map(({ spot, perSecond }) => specOf(plan, spot, { kind: 'rate', perSecond })));
  return shown.map((spot) => ({
    ...spot,
    capacity: capacities.get(keyOf(spot))!,
    clairvoyant: bounds.get(keyOf({ ...spot, row: 'positive' }))!,
    yield: yieldOf(backlogs[spots.indexOf(spot)]!),
    loads: loaded.flatMap(({ spot: where, load, perSecond }, at) => {
      if (where !== spot) return [];
      const run = runs[at]!;
      return [{ load: load.name, perSecond, ...latenciesOf(run), yield: yieldOf(run) }];
    }),
  }));
}

interface Spot {
  readonly setting: SettingName;
  readonly seed: number;
  readonly row: RowName;
}

function keyOf({ setting, seed, row }: Spot): string {
  return `${setting} ${seed} ${row}`;
}

/** All requests at once; the yardstick of the clairvoyant bound is watched. */
function backlogOf(plan: ComparisonPlan, spot: Spot): TrialSpec {
  const spec = specOf(plan, spot, { kind: 'backlog' });
  return spot.row === 'positive' ? { ...spec, watched: true } : spec;
}

function capacityIn(result: TrialResult): number {
  const capacity = capacityOf(result);
  assert(capacity !== undefined, 'a backlog keeps searches waiting; more requests than the budget are needed');
  return capacity;
}

/** One row in one setting with one seed, on the plan's machine. */
export function specOf(plan: ComparisonPlan, { setting, seed, row }: Spot, arrivals: TrialSpec['arrivals']): TrialSpec {
  const { requests, budget, rollouts, threshold, verifierReuses, roofline, machine, trees, calibration } = plan;
  const given = {
    ...(roofline && { roofline }),
    ...(machine && { machine }),
    ...(trees === undefined ? {} : { trees }),
    ...(calibration && { calibration }),
    ...(plan.deadlineMs !== undefined && arrivals.kind === 'rate' ? { deadlineMs: plan.deadlineMs } : {}),
  };
  const system = { requests, budget, rollouts, threshold, verifierReuses, ...given };
  return { ...trialDefaults, ...system, setting, seed, contender: contenderOf(row), arrivals };
}
