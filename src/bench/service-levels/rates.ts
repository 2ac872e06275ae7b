// Arrival rate and tightness of deadlines at 90 % attainment (P1 §6.3), simulated: what the engine has no room for waits in its
// queue, in the order of each row. Questions differ in length by a heavy tail, which nobody knows before they have begun. Every
// row meets the same questions at the same instants, and takes everyone in at once: the order is all that differs.

import type { Wish } from '../../answering/search-plan.ts';
import { raise } from '../../base/fault.ts';
import type { ProgramName } from '../../program/registry/programs.ts';
import type { RowName } from '../sim/contenders.ts';
import { capacityOf, warmUpShare } from '../sim/measures.ts';
import type { Served } from '../sim/service.ts';
import type { SettingName } from '../sim/settings.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import type { TrialPool } from '../sim/trial-pool.ts';
import { mean } from '../statistics.ts';
import { attainment, type Fairness, fairnessOf, loadAtLevel, tightestScale } from './attainment.ts';

export interface Workload {
  readonly name: string;
  /** As `--policy` chooses it. */
  readonly row: RowName;
  readonly program: ProgramName;
  /** Caps of P1 §6.3. */
  readonly rollouts: number;
  /** Strands that keep the engine full while the capacity is measured: ten times what it runs. */
  readonly strands: number;
  readonly knobs: Wish;
  /** What the last row stops by: thresholds of P1's Table 1. */
  readonly certain: Wish;
}

/** Longer steps than usual are allowed: what a question's length asks for is not to be cut. */
const shared: Wish = { stepTokens: 8192 };

export const workloads: readonly Workload[] = [
  {
    ...{
      name: 'self-consistency',
      row: 'self-consistency',
      program: 'self-consistency',
      rollouts: 20,
      strands: 640,
      knobs: shared,
    },
    certain: { certain: 'threshold', certainAgreement: 0.7, certainAnswers: 5 },
  },
  {
    ...{
      name: 'mcts',
      row: 'vanilla',
      program: 'mcts',
      rollouts: 15,
      strands: 160,
      knobs: { ...shared, choose: 'best', expansion: 'whole' },
    },
    certain: { certain: 'threshold', certainAgreement: 0.99, certainReward: 0.4, certainAnswers: 3 },
  },
];

/** Deviation of the logarithm of a question's length: one in ten is longer than 3.6 times the median and they hold 39 % of the work. */
export const heavyTail = 1;
/** A small server: what matters is how deep its queue gets, and that takes fewer requests. */
export const server = { replicas: 1, sequenceLimit: 64 } as const;
/** Of the base deadline, which is the mean latency of a search that is alone. */
export const scales = [2, 4, 6, 8, 12] as const;
/** Of the capacity. */
const loads = [0.85, 1, 1.2, 1.45, 1.75] as const;
/** Where tightness and fairness are read. */
export const readLoads = [0.85, 1.2] as const;
/** Questions that are asked one after the other, for the base of deadlines. */
const aloneQuestions = 200;

export const orderRows = ['fcfs', 'longest-prefix', 'gang', 'gang + sjf', 'all'] as const;
export type OrderRow = (typeof orderRows)[number];

function knobsOf(row: OrderRow, { knobs, certain }: Workload): Wish {
  if (row === 'all') return { ...knobs, ...certain, order: 'sjf' };
  return { ...knobs, order: row === 'gang + sjf' ? 'sjf' : row };
}

export interface LevelsPlan {
  readonly setting: SettingName;
  readonly seeds: readonly number[];
  readonly requests: number;
  readonly workloads: readonly Workload[];
}

/** One row under one seed. */
export interface LevelCell {
  readonly workload: string;
  readonly row: OrderRow;
  readonly seed: number;
  readonly baseMs: number;
  /** Searches a second that the engine sustains, all run to their end. */
  readonly capacity: number;
  readonly accuracy: number;
  /** By load: attainment at each scale, in percent. */
  readonly attained: readonly { readonly load: number; readonly byScale: readonly number[] }[];
  /** By scale: the load at 90 %, as a multiple of the capacity. */
  readonly loadAt: readonly (number | undefined)[];
  /** By `readLoads`. */
  readonly tightest: readonly number[];
  readonly fairness: readonly Fairness[];
}

interface Spot {
  readonly workload: Workload;
  readonly seed: number;
}

export async function levelCells(plan: LevelsPlan, pool: TrialPool): Promise<LevelCell[]> {
  const spots = plan.workloads.flatMap((workload) => plan.seeds.map((seed): Spot => ({ workload, seed })));
  const [alone, backlog] = [
    await pool.run(spots.map((spot) => specOf(plan, spot, 'fcfs', { kind: 'one-by-one' }))),
    await pool.run(spots.map((spot) => saturated(plan, spot))),
  ];
  const places = spots.map((spot, at) => ({
    ...spot,
    baseMs: mean(alone[at]!.served.map(({ arrivalMs, endedMs }) => endedMs - arrivalMs)),
    capacity: capacityOf(backlog[at]!) ?? raise('bad-setting', '--requests are too few to keep searches waiting'),
  }));
  const runs = places.flatMap((place) => orderRows.flatMap((row) => loads.map((load) => ({ place, row, load }))));
  const results = await pool.run(
    runs.map(({ place, row, load }) => specOf(plan, place, row, { kind: 'rate', perSecond: load * place.capacity })),
  );
  return places.flatMap((place) =>
    orderRows.map((row) => {
      const own = runs.flatMap((run, at) => (run.place === place && run.row === row ? [results[at]!] : []));
      return cellOf(place, row, own);
    }),
  );
}

function cellOf(
  place: Spot & { readonly baseMs: number; readonly capacity: number },
  row: OrderRow,
  own: readonly TrialResult[],
) {
  const { workload, seed, baseMs, capacity } = place;
  const warm = own.map(({ served }) => warmOf(served));
  const attained = loads.map((load, at) => ({
    load,
    byScale: scales.map((scale) => attainment(warm[at]!, baseMs, scale)),
  }));
  const read = readLoads.map((load) => warm[loads.indexOf(load)]!);
  return {
    ...{ workload: workload.name, row, seed, baseMs, capacity, attained },
    accuracy: 100 * mean(own[0]!.served.map(({ correct }) => (correct ? 1 : 0))),
    loadAt: scales.map((_, at) => loadAtLevel(attained.map(({ load, byScale }) => [load, byScale[at]!]))),
    tightest: read.map((served) => tightestScale(served, baseMs)),
    fairness: read.map(fairnessOf),
  };
}

function warmOf(served: readonly Served[]): readonly Served[] {
  return served.slice(Math.floor(warmUpShare * served.length));
}

/** All at once on a budget that keeps the engine full: the rate at which it generates while others wait. */
function saturated(plan: LevelsPlan, spot: Spot): TrialSpec {
  return { ...specOf(plan, spot, 'fcfs', { kind: 'backlog' }), budget: spot.workload.strands };
}

function specOf(
  { setting, requests }: LevelsPlan,
  { workload, seed }: Spot,
  row: OrderRow,
  arrivals: TrialSpec['arrivals'],
): TrialSpec {
  const { program, rollouts } = workload;
  const asked = arrivals.kind === 'one-by-one' ? Math.min(requests, aloneQuestions) : requests;
  return {
    ...trialDefaults,
    ...{ setting, seed, rollouts, arrivals, requests: asked, profile: { lengthSpread: heavyTail }, size: server },
    contender: { program, policy: 'vanilla', knobs: knobsOf(row, workload) },
    // Everyone is taken in: the queue is the engine's.
    budget: everyone,
  };
}

const everyone = 100_000;
