// The width rule `gain`: it reads what a strand costs engine and verifier, and shares out only what gains all searches more than it costs
// them. Before anything has been measured it shares out all that is free. A search is left alone while its first rollout may still be
// accepted: most end with that.

import { cycleOf, lastWorthwhile, roundMs, type Servers, steadily, stretchOf } from '../cost/closed-loop.ts';
import type { Seat } from './seat.ts';
import { boostable, isDoubted, sharedWidths, sumOf, type WidthRule } from './widths.ts';

/** Algorithm 1's shares of what is worth having, instead of all that is free. */
export const gainWidths: WidthRule = (seats, budget, nowMs, measured) => {
  if (measured === undefined) return shares(seats, budget, nowMs, measured);
  const servers = steadily(measured);
  const boosted = boostable(seats, isDoubted).map((at) => seats[at]!);
  const needed = sumOf(seats, ({ base }) => base);
  const worth = worthwhileStrands(servers, seats.length, boosted, needed, budget);
  return {
    ...shares(seats, worth, nowMs, measured),
    limit: worth,
    // Read only where a width changes.
    get facts() {
      const { stepMs, scoreMs } = cycleOf(servers, worth);
      const unboostedMs = roundMs(cycleOf(servers, needed));
      return { worth, stepMs, scoreMs, unboostedMs, nextStretches: stretchOf(servers, worth + 1) };
    },
  };
};

const shares = sharedWidths(isDoubted);

/**
 * The strands in all up to which a search that gets one more gains at least as large a share of its own speed as all searches lose
 * together: gain(w) ≥ n · (c(x) - c(x - 1)) / c(x), x strands in all, w of each boosted search, n searches. That is where the mean
 * logarithm of the searches' speeds is highest.
 */
function worthwhileStrands(
  servers: Servers,
  searches: number,
  boosted: readonly Seat[],
  needed: number,
  budget: number,
): number {
  if (boosted.length === 0) return needed;
  const ofOthers = needed - sumOf(boosted, ({ base }) => base);
  const kept = 1 - sumOf(boosted, ({ running }) => running!.changing ?? usualChanging) / boosted.length;
  return lastWorthwhile(needed, budget, (strands) => {
    const width = Math.ceil((strands - ofOthers) / boosted.length);
    return gainOf(width, kept) >= (searches * stretchOf(servers, strands)) / strands;
  });
}

/**
 * The share of its work that the last of `width` strands does for its search. A rollout that is begun beside j others knows nothing of
 * theirs: it is as good as one begun after them where none of them changes the answer, kept^j of the time, and counts for nothing else.
 */
function gainOf(width: number, kept: number): number {
  return kept >= 1 ? 1 / width : (kept ** (width - 1) * (1 - kept)) / (1 - kept ** width);
}

/** Before any was seen: simulated questions showed 0.1 to 0.2, the shipped generator 0.4. */
const usualChanging = 0.3;
