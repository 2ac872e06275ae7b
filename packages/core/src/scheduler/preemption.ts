// Preemption, and who may open new strands right now (Algorithm 1, phase 3). A preempted rollout loses the steps
// in flight, so strands are taken back only for the base of others, that is for searches just admitted, and
// only as many as are missing; a change of shares among boosted searches waits until rollouts end by themselves.

import type { Seat } from './seat.ts';
import { placesOf, sumOf, type Targets } from './widths.ts';

/** Per seat: the width it may use now, and the open strands it has to give up first. */
interface Adjustment {
  readonly widths: readonly number[];
  readonly preempt: readonly number[];
}

/**
 * Takes back exactly what searches below their base are short of, from those above their target, lowest rank first.
 * What is free after that lets searches grow towards their targets, highest rank first. With it, the strands kept and
 * the widths granted fit the budget together: no search can open a strand that another one still holds.
 */
export function preemptAsNeeded(seats: readonly Seat[], targets: Targets, budget: number): Adjustment {
  const free = budget - sumOf(seats, ({ open }) => open);
  const missing = sumOf(seats, ({ open, base }) => Math.max(0, base - open));
  const preempt = seats.map(() => 0);
  if (free < missing) takeBack(seats, targets, missing - free, preempt);
  return { widths: grow(seats, targets, Math.max(0, free - missing)), preempt };
}

function takeBack(seats: readonly Seat[], { widths, rank }: Targets, short: number, preempt: number[]): void {
  const holders = placesOf(seats, ({ open }, at) => open > widths[at]!);
  holders.sort((a, b) => rank[a]! - rank[b]! || b - a);
  let left = short;
  for (const at of holders) {
    preempt[at] = Math.min(left, seats[at]!.open - widths[at]!);
    left -= preempt[at];
  }
}

/** Targets cut to what can be had now: no search above its target grows, and none below its base is held back. */
function grow(seats: readonly Seat[], { widths, rank }: Targets, spare: number): number[] {
  const held = seats.map(({ open, base }, at) => Math.min(widths[at]!, Math.max(open, base)));
  const growing = placesOf(seats, (_, at) => widths[at]! > held[at]!);
  growing.sort((a, b) => rank[b]! - rank[a]! || a - b);
  let left = spare;
  for (const at of growing) {
    const more = Math.min(left, widths[at]! - held[at]!);
    held[at]! += more;
    left -= more;
  }
  return held;
}
