// Why a search has the width it has, in numbers that a person can read: what the rule went by, what it wanted for this
// search, and what others needed back. Made only for those for whom something changes.

import type { Reason, SearchId, Width } from './scheduler.ts';
import type { Seat } from './seat.ts';
import type { Targets } from './widths.ts';

export interface Outcomes {
  /** The scheduler's name. */
  readonly rule: string;
  readonly targets: Targets;
  readonly widths: readonly Width[];
  readonly preempt: readonly number[];
}

export function reasonsOf(seats: readonly Seat[], outcomes: Outcomes): Map<SearchId, Reason> {
  const { targets, widths, preempt } = outcomes;
  const short = preempt.reduce((total, each) => total + each, 0);
  const reasons = new Map<SearchId, Reason>();
  // Most decisions change nothing.
  let shared: Record<string, number> | undefined;
  seats.forEach((seat, at) => {
    if (!isChanged(seat, widths[at]!, preempt[at]!)) return;
    shared ??= roundedAll(targets.facts ?? {});
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

function roundedAll(facts: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, rounded(value)]));
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
