// Algorithm 1 of P0 (§4.5) put together from its parts: admission, targets, preemption. One pure decision over plain
// numbers; whom to prefer is a part's business, that the budget holds is this file's.

import { assert } from '../base/assert.ts';
import { admit, hopeless, inOrder } from './admission.ts';
import { decideWithIdle } from './idle.ts';
import { preemptAsNeeded } from './preemption.ts';
import type {
  Decision,
  Reason,
  RunningSearch,
  Scheduler,
  SearchId,
  Snapshot,
  WaitingSearch,
  Width,
} from './scheduler.ts';
import { naturalSeats, type Seat, seatAdmitted, seatRunning } from './seat.ts';
import { type OrderRule, urgencyOf } from './turns/order.ts';
import { speculativeWidths } from './two-phase-scheduling.ts';
import { checkedTargets, sumOf, type Targets, type WidthRule, withWaves } from './widths.ts';

export interface Algorithm1Options {
  readonly name: string;
  readonly widths: WidthRule;
  /** First come, first served by default. */
  readonly order?: OrderRule;
  /** Most speculative strands of one search; none unless given. */
  readonly speculate?: number;
  /** Strands of idle searches for each of the others while any of these runs; none unless given. */
  readonly beside?: number;
  /** Takes strands back; by default as few as others lack. */
  readonly preempt?: typeof preemptAsNeeded;
  /** Strands that new searches may have; all that the running ones do not need for their natural width unless given. */
  readonly room?: (present: readonly Seat[], snapshot: Snapshot, widths: WidthRule) => number;
}

export function algorithm1Scheduler(options: Algorithm1Options): Scheduler {
  const { name, order, beside = 0, speculate = 0 } = options;
  const decideAll = (snapshot: Snapshot) => {
    const decision = decideWithIdle(snapshot, beside, (others) => decide(others, options));
    if (order?.urgency === undefined) return decision;
    return { ...decision, urgencies: urgenciesOf(snapshot, decision, order) };
  };
  return { name, order, speculates: speculate > 0, decide: decideAll };
}

function urgenciesOf({ running, waiting }: Snapshot, { widths }: Decision, order: OrderRule): Map<SearchId, number> {
  const urgencies = new Map<SearchId, number>();
  for (const { id, standing } of [...running, ...waiting]) {
    if (standing !== undefined && widths.has(id)) urgencies.set(id, urgencyOf(order, standing));
  }
  return urgencies;
}

function decide(snapshot: Snapshot, options: Algorithm1Options): Decision {
  const { budget, nowMs, running, pace, servers } = snapshot;
  const present = running.map((search) => seatRunning(search, budget));
  const queue = inOrder(snapshot.waiting);
  const { widths: rule, room = naturalRoom, preempt: adjust = preemptAsNeeded } = options;
  const admitted = admit(queue, room(present, snapshot, rule), budget);
  const taken = naturalOf(running, budget) + naturalOf(admitted, budget);
  const giveUp = hopeless(queue.slice(admitted.length), { nowMs, budget, seats: taken, pace });
  const seats = [...present, ...admitted.map((search) => seatAdmitted(search, budget))];
  const isFull = queue.length > admitted.length + giveUp.size;
  const usual = isFull ? undefined : (options.speculate ?? 0);
  const targets = withWaves(checkedTargets(rule(seats, budget, nowMs, servers), seats, budget), seats, budget);
  const { widths: primary, preempt } = adjust(seats, targets, budget);
  const held = sumOf(seats, ({ open }, at) => Math.max(primary[at]!, open - preempt[at]!));
  // No speculation beyond the width that pays.
  const idle = Math.min(budget, targets.limit ?? budget) - held;
  const ahead = speculativeWidths(seats, { primary: held, idle, usual }, snapshot);
  const widths = primary.map((each, at): Width => ({ primary: each, speculative: ahead[at]! }));
  return {
    admit: admitted.map(({ id }) => id),
    widths: new Map(seats.map(({ id }, at) => [id, widths[at]!])),
    preempt: new Map(seats.flatMap(({ id }, at) => (preempt[at]! > 0 ? [[id, preempt[at]!] as const] : []))),
    giveUp,
    reasons: reasonsOf(seats, { rule: options.name, targets, widths, preempt }),
  };
}

function naturalOf(searches: readonly (RunningSearch | WaitingSearch)[], budget: number): number {
  return sumOf(searches, (search) => naturalSeats(search, budget));
}

function naturalRoom(_present: readonly Seat[], { running, budget }: Snapshot): number {
  const natural = naturalOf(running, budget);
  assert(natural <= budget, `running searches have a natural width of ${natural} on a budget of ${budget} strands`);
  return budget - natural;
}

interface Outcomes {
  readonly rule: string;
  readonly targets: Targets;
  readonly widths: readonly Width[];
  readonly preempt: readonly number[];
}

/** Why a search has the width it has, for those for whom something changes: what the rule went by, and what others needed back. */
function reasonsOf(seats: readonly Seat[], outcomes: Outcomes): Map<SearchId, Reason> {
  const { targets, widths, preempt } = outcomes;
  const short = preempt.reduce((total, each) => total + each, 0);
  const reasons = new Map<SearchId, Reason>();
  // Most decisions change nothing.
  let shared: Record<string, number> | undefined;
  seats.forEach((seat, at) => {
    if (!isChanged(seat, widths[at]!, preempt[at]!)) return;
    shared ??= Object.fromEntries(Object.entries(targets.facts ?? {}).map(([name, value]) => [name, rounded(value)]));
    const taken = preempt[at]! === 0 ? {} : { taken: preempt[at]!, othersLack: short };
    const own = { base: seat.base, target: targets.widths[at]!, score: rounded(targets.rank[at]!) };
    reasons.set(seat.id, { rule: outcomes.rule, ...own, ...taken, ...shared });
  });
  return reasons;
}

function isChanged({ running }: Seat, { primary, speculative }: Width, taken: number): boolean {
  if (running === undefined || taken > 0) return true;
  return running.width.primary !== primary || running.width.speculative !== speculative;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
