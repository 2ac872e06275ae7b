// Arrival rate and tightness of deadlines at 90 % attainment (P1 §6.3), simulated: requests beyond the engine's room wait in its queue, in the
// order of each row. Questions' lengths have a heavy tail, and a length is known only after its search has begun. Every row gets the
// same questions at the same instants, and admits them at once: only the order differs.

import { mean, raise } from '@coppice/core/base';
import type { TrialSource } from '../experiment/experiment.ts';
import type { KnownTokens } from '../known-work.ts';
import { type SettingName, warmUpShare } from '../service/index.ts';
import { capacityOf } from '../sim/capacity.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import { attainment, type Fairness, fairnessOf, levelShare, loadAtLevel, tightestScale } from './attainment.ts';
import { heavyTail, knobsOf, type OrderRow, server, type Workload } from './workloads.ts';

/** Multiples of the base deadline, which is the mean latency of a search alone. */
export const scales = [2, 4, 6, 8, 12] as const;
/** Of the capacity: every row goes up to the first at which it keeps the level at no scale. */
const loads = [0.7, 0.85, 1, 1.2, 1.45, 1.75, 2.1, 2.5, 3] as const;
/** A row that keeps the level here might keep it at higher loads too. */
export const highestLoad = loads.at(-1)!;
/** Loads at which tightness and fairness are read. */
export const readLoads = [0.85, 1.2] as const;
/** Scales of the figure of tightness. */
export const fineScales = [1, 1.5, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 25, 32] as const;
/** Load at which caps are compared: above what longest prefix keeps, at the middle scale. */
export const capLoad = 1.2;
export const capScale = 6;
export const capRows = ['longest-prefix', 'all'] as const satisfies readonly OrderRow[];
/** Questions that are asked one after the other, for the base of deadlines. */
const aloneQuestions = 200;

/** One row under one seed. */
export interface OrderCell {
  readonly workload: Workload;
  readonly row: OrderRow;
  readonly setting: SettingName;
  readonly seed: number;
  readonly requests: number;
}

export interface LevelCell {
  readonly workload: string;
  readonly row: OrderRow;
  readonly seed: number;
  readonly baseMs: number;
  /** Searches a second that the engine sustains, all run to their end. */
  readonly capacity: number;
  readonly accuracy: number;
  /** By load, as far as it was run: attainment at each scale, in percent. */
  readonly attained: readonly { readonly load: number; readonly byScale: readonly number[] }[];
  /** By scale: the load at 90 %, as a multiple of the capacity; null where it is not kept at the lowest. */
  readonly loadAt: readonly (number | null)[];
  /** By `readLoads`. */
  readonly tightest: readonly number[];
  readonly fairness: readonly Fairness[];
  /** By `readLoads`, then by `fineScales`. */
  readonly byTightness: readonly (readonly number[])[];
  /** For `capRows`, at `capLoad` and `capScale`. */
  readonly caps: readonly { readonly cap: number; readonly attained: number; readonly accuracy: number }[];
  /** Where the order goes by estimates, at `capLoad`: by `judgedSteps`, their rank correlation with the truth. */
  readonly workRanks?: readonly number[];
}

/** How long a search takes alone, and what the engine sustains: the same for every row. */
interface MeasuredServer {
  readonly baseMs: number;
  readonly capacity: number;
  /** What every search takes when it runs to its end. */
  readonly tokens: KnownTokens;
}

interface Ran {
  readonly load: number;
  readonly cap: number;
  readonly result: TrialResult;
}

/** Raises the load until no deadline is kept; also runs P1's caps where those are compared. */
export async function climb(cell: OrderCell, trials: TrialSource): Promise<LevelCell> {
  const server = await measuredServer(cell, trials);
  const { rollouts } = cell.workload;
  const runAt = async (load: number, cap: number): Promise<Ran> => {
    return { load, cap, result: await trials.run(specOf(cell, server, load, cap)) };
  };
  const ran: Ran[] = [];
  for (const load of loads) if (isRead(load) || isKept(server, ran.at(-1))) ran.push(await runAt(load, rollouts));
  const others = await Promise.all(otherCaps(cell).map((cap) => runAt(capLoad, cap)));
  return levelCell(cell, server, [...ran, ...others]);
}

function isRead(load: number): boolean {
  return readLoads.some((each) => each === load);
}

/** Whether the level was kept at the last load with the least tight deadlines; what comes above a load at which it was not says nothing. */
function isKept({ baseMs }: MeasuredServer, last: Ran | undefined): boolean {
  return last === undefined || attainment(warmOf(last.result.served), baseMs, scales.at(-1)!) >= levelShare;
}

function otherCaps({ workload, row }: OrderCell): number[] {
  if (!capRows.some((each) => each === row)) return [];
  return workload.caps.filter((cap) => cap !== workload.rollouts);
}

async function measuredServer(cell: OrderCell, trials: TrialSource): Promise<MeasuredServer> {
  const [alone, backlog] = await Promise.all([trials.once(aloneOf(cell)), trials.once(saturated(cell))]);
  return {
    baseMs: mean(alone.served.map(({ arrivalMs, endedMs }) => endedMs - arrivalMs)),
    capacity: capacityOf(backlog) ?? raise('bad-setting', '--requests are too few to keep searches waiting'),
    tokens: backlog.served.map(({ tokens }) => tokens),
  };
}

function levelCell(
  { workload, row, seed }: OrderCell,
  { baseMs, capacity, tokens }: MeasuredServer,
  ran: readonly Ran[],
): LevelCell {
  const warm = ran
    .filter(({ cap }) => cap === workload.rollouts)
    .map(({ load, result }) => ({ load, result, served: warmOf(result.served), tokens: warmOf(tokens) }));
  const attained = warm.map(({ load, served }) => ({
    load,
    byScale: scales.map((scale) => attainment(served, baseMs, scale)),
  }));
  const read = readLoads.map((load) => warm.find((each) => each.load === load)!);
  const ranks = warm.find(({ load }) => load === capLoad)!.result.workRanks;
  return {
    workload: workload.name,
    row,
    seed,
    baseMs,
    capacity,
    attained,
    accuracy: accuracyOf(ran[0]!.result),
    loadAt: scales.map((_, at) => loadAtLevel(attained.map(({ load, byScale }) => [load, byScale[at]!])) ?? null),
    tightest: read.map(({ served }) => tightestScale(served, baseMs)),
    fairness: read.map((each) => fairnessOf(each.served, each.tokens)),
    byTightness: read.map(({ served }) => fineScales.map((scale) => attainment(served, baseMs, scale))),
    caps: capRows.some((each) => each === row) ? capsOf(ran, baseMs) : [],
    ...(ranks === undefined ? {} : { workRanks: ranks }),
  };
}

function capsOf(ran: readonly Ran[], baseMs: number): LevelCell['caps'] {
  return ran
    .filter(({ load }) => load === capLoad)
    .map(({ cap, result }) => ({
      cap,
      attained: attainment(warmOf(result.served), baseMs, capScale),
      accuracy: accuracyOf(result),
    }))
    .sort((a, b) => a.cap - b.cap);
}

function accuracyOf({ served }: TrialResult): number {
  return 100 * mean(served.map(({ correct }) => (correct ? 1 : 0)));
}

function warmOf<Item>(all: readonly Item[]): readonly Item[] {
  return all.slice(Math.floor(warmUpShare * all.length));
}

/** One after the other. */
function aloneOf(cell: OrderCell): TrialSpec {
  const requests = Math.min(cell.requests, aloneQuestions);
  return { ...specFor(cell, 'fcfs'), requests, arrivals: { kind: 'one-by-one' } };
}

/** All at once on a budget that keeps the engine full: the rate at which it generates while others wait. */
function saturated(cell: OrderCell): TrialSpec {
  return { ...specFor(cell, 'fcfs'), arrivals: { kind: 'backlog' }, budget: cell.workload.strands };
}

function specOf(cell: OrderCell, { capacity, tokens }: MeasuredServer, load: number, cap: number): TrialSpec {
  const arrivals = { kind: 'rate', perSecond: load * capacity } as const;
  const work = workOf(cell.row, load, tokens);
  return { ...specFor(cell, cell.row), arrivals, rollouts: cap, ...(work && { work }) };
}

function workOf(row: OrderRow, load: number, tokens: KnownTokens): TrialSpec['work'] {
  if (row === 'gang + sjf, all known') return { tokens, use: 'known' };
  return row === 'gang + sjf' && load === capLoad ? { tokens, use: 'judged' } : undefined;
}

/** Every search is admitted: the queue is the engine's. */
const everyone = 100_000;

function specFor({ setting, seed, requests, workload }: OrderCell, row: OrderRow) {
  const { program, rollouts } = workload;
  return {
    ...trialDefaults,
    setting,
    seed,
    rollouts,
    requests,
    profile: { lengthSpread: heavyTail },
    size: server,
    contender: { program, policy: 'vanilla' as const, knobs: knobsOf(row, workload) },
    budget: everyone,
  };
}
