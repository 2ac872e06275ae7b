// One cell of the canonical comparison: a policy in a setting under a seed, its capacity and its latencies at every load. Loads are
// relative to capacities that the same run measures first (`0.6v`: 0.6 of vanilla's, `1p`: positive's), so that a table shows how
// full the system was. Every policy gets the same questions at the same instants.

import { assert } from '@coppice/core/base';
import { clairvoyantCapacity } from '../clairvoyant.ts';
import type { TrialSource } from '../experiment/experiment.ts';
import type { LabPlan, PlannedSystem } from '../experiment/plan.ts';
import {
  type Latencies,
  type Load,
  latenciesOf,
  type RowName,
  type SettingName,
  type Yield,
  yieldOf,
} from '../service/index.ts';
import { capacityOf, servedRate } from './capacity.ts';
import { contenderOf } from './contenders.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from './trial.ts';
import { worldlySpec } from './worlds.ts';

/** A setting with a seed. */
export interface SeededSetting {
  readonly setting: SettingName;
  readonly seed: number;
}

export interface ComparedSpot extends SeededSetting {
  readonly row: RowName;
}

export interface ComparedCell extends ComparedSpot {
  readonly loads: readonly Load[];
  readonly system: PlannedSystem;
}

/** One policy in one setting under one seed. */
export interface Cell extends ComparedSpot {
  /** Requests per second. */
  readonly capacity: number;
  /** Of one who knows what comes of every search, on the same questions. */
  readonly clairvoyant: number;
  readonly yield: Yield;
  readonly loads: readonly (Latencies & { readonly load: string; readonly perSecond: number; readonly yield: Yield })[];
}

/** Setting by setting, each with all its seeds. */
export function placesOf({ settings, seeds }: LabPlan): SeededSetting[] {
  return settings.flatMap((setting) => seeds.map((seed) => ({ setting, seed })));
}

export function comparedCells(plan: LabPlan): ComparedCell[] {
  const system = systemOf(plan);
  return placesOf(plan).flatMap((place) => plan.rows.map((row) => ({ ...place, row, loads: plan.loads, system })));
}

export async function compareCell(
  { setting, seed, row, loads, system }: ComparedCell,
  trials: TrialSource,
): Promise<Cell> {
  const backlog = (name: RowName) => trials.once(backlogOf(system, { setting, seed, row: name }));
  const [own, positive] = await Promise.all([backlog(row), backlog('positive')]);
  const rates = await Promise.all(
    loads.map(async ({ factor, of }) => factor * (of === 'clock' ? 1 : backlogRate(await backlog(of)))),
  );
  const runs = await Promise.all(
    rates.map((perSecond) => trials.run(specOf(system, { setting, seed, row }, { kind: 'rate', perSecond }))),
  );
  return {
    setting,
    seed,
    row,
    capacity: backlogRate(own),
    clairvoyant: clairvoyantCapacity(positive) ?? Number.NaN,
    yield: yieldOf(own),
    loads: runs.map((run, at) => {
      return { load: loads[at]!.name, perSecond: rates[at]!, ...latenciesOf(run), yield: yieldOf(run) };
    }),
  };
}

/** All requests at once; the yardstick of the clairvoyant bound is watched. */
function backlogOf(system: PlannedSystem, spot: ComparedSpot): TrialSpec {
  const spec = specOf(system, spot, { kind: 'backlog' });
  return spot.row === 'positive' ? { ...spec, watched: true } : spec;
}

function backlogRate(result: TrialResult): number {
  const lastAdmittedMs = Math.max(...result.served.map(({ admittedMs }) => admittedMs ?? 0));
  return servedRate(result, result.served.filter(({ endedMs }) => endedMs <= lastAdmittedMs).length);
}

export function capacityIn(result: TrialResult): number {
  const capacity = capacityOf(result);
  assert(capacity !== undefined, 'a backlog keeps searches waiting; more requests than the budget are needed');
  return capacity;
}

/** The common part of its trials. */
export function systemOf(plan: PlannedSystem): PlannedSystem {
  const { requests, budget, rollouts, branching, threshold, verifierReuses } = plan;
  const { roofline, machine, trees, trace, deadlineMs, world, scoring, toldThreshold } = plan;
  return {
    requests,
    budget,
    rollouts,
    threshold,
    verifierReuses,
    ...(branching && { branching }),
    ...(roofline && { roofline }),
    ...(machine && { machine }),
    ...(trees === undefined ? {} : { trees }),
    ...(trace && { trace }),
    ...(world && { world }),
    ...(scoring && { scoring }),
    ...(toldThreshold && { toldThreshold }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  };
}

/** One row in one setting with one seed, on the plan's machine. */
export function specOf(
  plan: PlannedSystem,
  { setting, seed, row }: ComparedSpot,
  arrivals: TrialSpec['arrivals'],
): TrialSpec {
  const { deadlineMs, world, scoring, toldThreshold, ...system } = systemOf(plan);
  const deadline = deadlineMs !== undefined && arrivals.kind === 'rate' ? { deadlineMs } : {};
  const told = toldThreshold ? { threshold: system.threshold } : {};
  const worldly = { ...worldlySpec(world, scoring), ...told };
  return { ...trialDefaults, ...system, ...worldly, ...deadline, setting, seed, contender: contenderOf(row), arrivals };
}
