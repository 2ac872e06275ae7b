// Two ways to share a budget that lost: Algorithm 1's preemption to the letter, and boosting before admitting. No plug-in has them;
// they use seams of the scheduler itself.

import { naturalSeats, type preemptAsNeeded } from '@coppice/core/scheduler';
import type { Seat, Snapshot, WidthRule } from 'coppice';

/** Cuts every search above its width down to it at once, with the loss of its steps in flight. */
export const preemptEagerly: typeof preemptAsNeeded = (seats, { widths }) => {
  return { widths, preempt: seats.map(({ open }, at) => Math.max(0, open - widths[at]!)) };
};

/**
 * The strands left after the running searches have all that their targets allow. Keeps searches waiting while others are sped up at
 * poor efficiency, which loses throughput in P0 §5.3 (0.8x).
 */
export function boostingRoom(present: readonly Seat[], snapshot: Snapshot, rule: WidthRule): number {
  const { running, budget, nowMs, servers } = snapshot;
  const natural = running.map((search) => naturalSeats(search, budget));
  const { widths } = rule(present, budget, nowMs, servers);
  return present.reduce((room, { open }, at) => room - Math.max(open, natural[at]!, widths[at]!), budget);
}
