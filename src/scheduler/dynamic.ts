// Algorithm 1 of P0 (§4.5) put together from its parts: admission, targets, preemption. One pure decision over plain
// numbers; whom to prefer is a part's business, that the budget holds is this file's.

import { assert } from '../base/assert.ts';
import { admit, hopeless, inOrder } from './admission.ts';
import { evenly } from './evenly.ts';
import { decideWithIdle } from './idle.ts';
import { type Preemption, preemptAsNeeded, preemptEagerly } from './preemption.ts';
import { reasonsOf } from './reason.ts';
import type { AdmissionOrder, Decision, Scheduler, Snapshot, Width } from './scheduler.ts';
import { naturalSeats, type Seat, seatAdmitted, seatRunning } from './seat.ts';
import { sum, type WidthRule } from './widths.ts';

export const precedences = ['admit', 'boost'] as const;
/** Who gets freed strands first: searches that wait, or searches that run. */
export type Precedence = (typeof precedences)[number];

export interface DynamicOptions {
  readonly name: string;
  readonly widths: WidthRule;
  readonly first: Precedence;
  readonly preemption: Preemption;
  readonly ageingSeconds: number;
  readonly order?: AdmissionOrder;
  /** Most speculative strands of one search; none unless given. */
  readonly speculate?: number;
  /** Strands of idle searches for each of the others while any of these runs; none unless given. */
  readonly beside?: number;
}

export function dynamicScheduler(options: DynamicOptions): Scheduler {
  const { name, ageingSeconds, order = 'arrival', beside = 0 } = options;
  const decideAll = (snapshot: Snapshot) => decideWithIdle(snapshot, beside, (others) => decide(others, options));
  return { name, ageingSeconds, order, decide: decideAll };
}

function decide(snapshot: Snapshot, options: DynamicOptions): Decision {
  const { budget, nowMs, running, pace, servers } = snapshot;
  const present = running.map((search) => seatRunning(search, budget));
  const queue = inOrder(snapshot.waiting);
  const admitted = admit(queue, roomFor(present, snapshot, options), budget);
  const taken = sum([...running, ...admitted].map((search) => naturalSeats(search, budget)));
  const giveUp = hopeless(queue.slice(admitted.length), { nowMs, budget, seats: taken, pace });
  const seats = [...present, ...admitted.map((search) => seatAdmitted(search, budget))];
  const targets = options.widths(seats, budget, nowMs, servers);
  const adjust = options.preemption === 'eager' ? preemptEagerly : preemptAsNeeded;
  const { widths: primary, preempt } = adjust(seats, targets, budget);
  const held = seats.map(({ open }, at) => Math.max(primary[at]!, open - preempt[at]!));
  const idle = Math.min(budget, targets.limit ?? budget) - sum(held);
  const ahead = speculativeWidths(seats, idle, options.speculate ?? 0);
  const widths = primary.map((each, at): Width => ({ primary: each, speculative: ahead[at]! }));
  return {
    admit: admitted.map(({ id }) => id),
    widths: new Map(seats.map(({ id }, at) => [id, widths[at]!])),
    preempt: new Map(seats.flatMap(({ id }, at) => (preempt[at]! > 0 ? [[id, preempt[at]!] as const] : []))),
    giveUp,
    reasons: reasonsOf(seats, { rule: options.name, targets, widths, preempt }),
  };
}

/** Only of strands that nobody has or may open: the next decision may need them, and gives none then. */
function speculativeWidths(seats: readonly Seat[], idle: number, most: number): number[] {
  return evenly(
    seats.map(() => most),
    Math.max(0, idle),
  );
}

/**
 * Strands that new searches may have. `admit`: all that the running ones do not need for their natural width; boosts
 * yield. `boost`: what is left when the running ones have all that their targets allow. The second keeps searches
 * waiting while others are sped up at poor efficiency: what loses throughput in P0 §5.3 (0.8x), and kept to show it.
 */
function roomFor(
  present: readonly Seat[],
  { running, budget, nowMs, servers }: Snapshot,
  options: DynamicOptions,
): number {
  const natural = running.map((search) => naturalSeats(search, budget));
  const room = budget - sum(natural);
  assert(room >= 0, `running searches have a natural width of ${sum(natural)} on a budget of ${budget} strands`);
  if (options.first === 'admit') return room;
  const { widths } = options.widths(present, budget, nowMs, servers);
  return budget - sum(present.map(({ open }, at) => Math.max(open, natural[at]!, widths[at]!)));
}
