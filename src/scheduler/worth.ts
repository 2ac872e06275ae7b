// Width rules that read what a strand costs before they grant it. `worth` sees engine and verifier and shares out only what
// is worth it to all searches; `slack` is the rule of TAPER (arXiv 2605.06914), which sees the engine's step alone and keeps it
// within a budget of slack: a baseline. Before anything has been measured both share out all that is free.

import { evenly } from '../base/evenly.ts';
import { cycleOf, roundMs, type Servers, stretchOf, worthwhileStrands } from './cycle.ts';
import type { Seat } from './seat.ts';
import { type ShareOptions, shareWidths, sum, type Targets, type WidthRule } from './widths.ts';

type Facts = NonNullable<Targets['facts']>;

interface WorthOptions extends ShareOptions {
  /** Most per cent by which a strand may stretch the round of all searches, for one per cent more strands. */
  readonly elasticity: number;
}

/** Algorithm 1's shares of what is worth having, instead of all that is free. */
export function worthWidths({ elasticity, ...share }: WorthOptions): WidthRule {
  const shares = shareWidths(share);
  return (seats, budget, nowMs, servers) => {
    if (servers === undefined) return shares(seats, budget, nowMs, servers);
    const needed = sum(seats.map(({ base }) => base));
    const worth = worthwhileStrands(servers, needed, budget, elasticity);
    return { ...shares(seats, worth, nowMs, servers), limit: worth, facts: worthFacts(servers, needed, worth) };
  };
}

function worthFacts(servers: Servers, needed: number, worth: number): Facts {
  const { stepMs, scoreMs } = cycleOf(servers, worth);
  const unboostedMs = roundMs(cycleOf(servers, needed));
  return { worth, stepMs, scoreMs, unboostedMs, nextStretches: stretchOf(servers, worth + 1) };
}

/**
 * A branch more while the step that it makes longer stays within the slack: at most (1 + slack) times what a step takes on an
 * engine that has nothing else to do. Dealt out evenly, the oldest first.
 */
export function slackWidths({ gate, slack }: { readonly gate: number; readonly slack: number }): WidthRule {
  return (seats, budget, _nowMs, servers) => {
    const needed = sum(seats.map(({ base }) => base));
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
