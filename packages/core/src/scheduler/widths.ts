// Width rules: how many strands each running search should have (Algorithm 1, phase 2). Each has its base first;
// `natural` leaves it there, `shares` boosts with what is left. The result fits the budget and respects every cap. The rules
// that look at what a strand costs are in gain.ts.

import { evenly } from '../base/arithmetic.ts';
import { raise } from '../base/fault.ts';
import { definerOf, type PlugIn } from '../base/part.ts';
import type { Servers } from '../cost/closed-loop.ts';
import type { RunningSearch } from './scheduler.ts';
import type { Seat } from './seat.ts';

/** An entry per seat, in the same order. By `rank` the lowest yields first and the highest grows first. */
export interface Targets {
  readonly widths: readonly number[];
  readonly rank: readonly number[];
  /** Strands in all that are to be used, where those are fewer than the budget has. */
  readonly limit?: number;
  readonly facts?: Readonly<Record<string, number>>;
}

/** `servers`: what was measured of engine and verifier; undefined before that. */
export type WidthRule = (
  seats: readonly Seat[],
  budget: number,
  nowMs: number,
  servers: Servers | undefined,
) => Targets;

export type WidthsPart = PlugIn<WidthRule>;

export const defineWidths = definerOf<WidthRule>();

export const naturalWidths: WidthRule = (seats) => ({
  widths: seats.map(({ base }) => base),
  rank: seats.map(() => 0),
});

/** τ of P0 §4.4, the 90% proximity rule. */
export const proximity = 0.9;

/** β, no value given: being near acceptance counts as much as having waited e² = 7.4 times as long. */
const nearness = 2;

/** The parallelism degree score of P0 §4.4: S = log(1 + Δt) + β·I(ρ > τ), Δt in seconds since arrival, ρ = `progress`. */
export function degreeScore({ arrivalMs, progress }: RunningSearch, nowMs: number): number {
  return seniority(arrivalMs, nowMs) + (progress > proximity ? nearness : 0);
}

export function seniority(arrivalMs: number, nowMs: number): number {
  return Math.log(1 + Math.max(0, nowMs - arrivalMs) / 1000);
}

type MayBoost = (running: RunningSearch) => boolean;

/** `gate`: Algorithm 1's observation threshold, in completed rollouts: below it a search is not boosted. */
export function shareWidths({ gate, score }: { readonly gate: number; readonly score?: Score }): WidthRule {
  return sharedWidths(({ observations }) => observations >= gate, score);
}

/** Its first rollouts cannot be accepted any more. */
export const isDoubted: MayBoost = ({ hopeful }) => !hopeful;

type Score = typeof degreeScore;

/**
 * Algorithm 1, lines 4 to 9. The rest of the budget, after the base of each search, is split among the searches that may be boosted
 * in proportion to their score, rounded down and cut at what each can use; what that leaves goes out one by one in
 * descending order of score. The paper multiplies the share by M and takes at least 1, which can exceed M; sharing out
 * the rest cannot.
 */
export function sharedWidths(mayBoost: MayBoost, score: Score = degreeScore): WidthRule {
  return (seats, budget, nowMs) => {
    const rank = seats.map(({ running }) => (running === undefined ? 0 : score(running, nowMs)));
    const widths = seats.map(({ base }) => base);
    const rest = budget - sum(widths);
    const byScore = boostable(seats, mayBoost).sort((a, b) => rank[b]! - rank[a]! || a - b);
    const whole = sumOf(byScore, (at) => rank[at]!);
    for (const at of byScore) {
      const share = whole === 0 ? 0 : Math.floor((rank[at]! / whole) * rest);
      widths[at] = Math.min(seats[at]!.cap, seats[at]!.base + share);
    }
    const rooms = byScore.map((at) => seats[at]!.cap - widths[at]!);
    const extra = evenly(rooms, budget - sum(widths));
    byScore.forEach((at, order) => {
      widths[at]! += extra[order]!;
    });
    return { widths, rank };
  };
}

export function boostable(seats: readonly Seat[], mayBoost: MayBoost): number[] {
  const isPast = (running: RunningSearch) => running.worth === undefined && mayBoost(running);
  return placesOf(seats, ({ running, base, cap }) => running !== undefined && cap > base && isPast(running));
}

/** Gives what is free to searches that weigh their next work, the one with the highest worth first, as much as it asks for: the limit of a rule is one of boosts. */
export function withWaves(targets: Targets, seats: readonly Seat[], budget: number): Targets {
  const worthAt = (at: number) => seats[at]!.running?.worth ?? 0;
  const weighing = placesOf(seats, ({ running, cap }, at) => running?.worth !== undefined && cap > targets.widths[at]!);
  if (weighing.length === 0) return targets;
  const widths = [...targets.widths];
  let left = budget - sum(widths);
  for (const at of weighing.sort((a, b) => worthAt(b) - worthAt(a) || a - b)) {
    const more = Math.max(0, Math.min(left, seats[at]!.cap - widths[at]!));
    widths[at]! += more;
    left -= more;
  }
  return { ...targets, widths };
}

export function placesOf(seats: readonly Seat[], isSo: (seat: Seat, at: number) => boolean): number[] {
  const places: number[] = [];
  for (let at = 0; at < seats.length; at += 1) if (isSo(seats[at]!, at)) places.push(at);
  return places;
}

/** Checks a rule's targets: a strand or more for every seat, and all of them within the budget. */
export function checkedTargets(targets: Targets, seats: readonly Seat[], budget: number): Targets {
  const { widths } = targets;
  const wrong = seats.findIndex((_, at) => !(Number.isInteger(widths[at]) && widths[at]! >= 1));
  if (wrong >= 0)
    raise('bad-setting', `its widths give '${seats[wrong]!.id}' ${widths[wrong]} strands; each seat has 1 or more`);
  const total = sum(widths);
  return total <= budget ? targets : raise('bad-setting', `its widths give ${total} strands of ${budget} (budget)`);
}

export function sum(values: readonly number[]): number {
  return sumOf(values, (value) => value);
}

/** Several times at every decision, over all that run: makes no list. */
export function sumOf<Item>(items: readonly Item[], of: (item: Item, at: number) => number): number {
  let total = 0;
  for (let at = 0; at < items.length; at += 1) total += of(items[at]!, at);
  return total;
}
