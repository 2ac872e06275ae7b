// Width rules that read what a strand costs before they grant it. `worth` sees engine and verifier and shares out only what
// is worth it to all searches; `slack` is the rule of TAPER (arXiv 2605.06914), which sees the engine's step alone and keeps it
// within a budget of slack: a baseline. Before anything has been measured both share out all that is free.

import { evenly } from '../base/arithmetic.ts';
import { cycleOf, lastWorthwhile, roundMs, type Servers, steadily, stretchOf } from './cycle.ts';
import type { Seat } from './seat.ts';
import { boostable, type ShareOptions, shareWidths, sumOf, type Targets, type WidthRule } from './widths.ts';

type Facts = NonNullable<Targets['facts']>;

/** Algorithm 1's shares of what is worth having, instead of all that is free. */
export function worthWidths(share: ShareOptions): WidthRule {
  const shares = shareWidths(share);
  return (seats, budget, nowMs, measured) => {
    if (measured === undefined) return shares(seats, budget, nowMs, measured);
    const servers = steadily(measured);
    const boosted = boostable(seats, share).map((at) => seats[at]!);
    const needed = sumOf(seats, ({ base }) => base);
    const worth = worthwhileStrands(servers, seats.length, boosted, needed, budget);
    return {
      ...shares(seats, worth, nowMs, measured),
      limit: worth,
      // Read only where a width changes.
      get facts() {
        return worthFacts(servers, needed, worth);
      },
    };
  };
}

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

function worthFacts(servers: Servers, needed: number, worth: number): Facts {
  const { stepMs, scoreMs } = cycleOf(servers, worth);
  const unboostedMs = roundMs(cycleOf(servers, needed));
  return { worth, stepMs, scoreMs, unboostedMs, nextStretches: stretchOf(servers, worth + 1) };
}

/** TAPER: more branches while a step takes at most (1 + slack) times that of an idle engine; dealt out evenly, the oldest first. */
export function slackWidths({ gate, slack }: { readonly gate: number; readonly slack: number }): WidthRule {
  return (seats, budget, _nowMs, servers) => {
    const needed = sumOf(seats, ({ base }) => base);
    const limit = Math.max(needed, Math.min(budget, strandsWithin(servers, slack)));
    const rank = seats.map(({ running }) => (running === undefined ? 0 : -running.arrivalMs));
    const rooms = seats.map((seat) => (isPast(seat, gate) ? seat.cap - seat.base : 0));
    const extra = evenly(rooms, limit - needed);
    const widths = seats.map(({ base }, at) => base + extra[at]!);
    return { widths, rank, limit, facts: slackFacts(servers, slack, limit) };
  };
}

function strandsWithin(servers: Servers | undefined, slack: number): number {
  if (servers === undefined) return Number.POSITIVE_INFINITY;
  const { baseMs, slopeMs } = servers.engine.line;
  return slopeMs === 0 ? Number.POSITIVE_INFINITY : Math.floor((slack * baseMs) / (slopeMs * servers.perStrand));
}

function slackFacts(servers: Servers | undefined, slack: number, limit: number): Facts {
  if (servers === undefined) return {};
  const { baseMs, slopeMs } = servers.engine.line;
  return { worth: limit, stepMs: baseMs + slopeMs * limit * servers.perStrand, limitMs: (1 + slack) * baseMs };
}

function isPast({ running }: Seat, gate: number): boolean {
  return running !== undefined && running.observations >= gate;
}
