// Policies of papers: P0 §3.4 without §4.3, and TAPER (arXiv 2605.06914). TAPER's width rule sees only the engine's step time and keeps it
// within a budget of slack. Before the first measurement it shares out all free strands.

import { evenly } from '@coppice/core/base';
import type { Servers } from '@coppice/core/cost';
import { definePolicy } from '@coppice/core/policy';
import { defineWidths, sumOf, type WidthRule } from '@coppice/core/scheduler';

export const positiveStrict = definePolicy({
  name: 'positive+strict',
  summary: 'gives up where no path can be accepted any more, P0 §3.4',
  settings: { positiveExit: 'on', negativeExit: 'strict' },
});

/** Allowed growth of a step's time over an idle engine's. TAPER derives it from the objectives of its requests. */
const slack = 1;
/** Completed rollouts before a search gets more than its own strands. */
const gate = 1;

/** Adds branches while a step takes at most (1 + slack) times an idle engine's; dealt evenly, the oldest search first. */
export const slackWidths: WidthRule = (seats, budget, _nowMs, servers) => {
  const needed = sumOf(seats, ({ base }) => base);
  const limit = Math.max(needed, Math.min(budget, strandsWithin(servers)));
  const rank = seats.map(({ running }) => (running === undefined ? 0 : -running.arrivalMs));
  const isPast = (observations = -1) => observations >= gate;
  const rooms = seats.map(({ running, cap, base }) => (isPast(running?.observations) ? cap - base : 0));
  const extra = evenly(rooms, limit - needed);
  const widths = seats.map(({ base }, at) => base + extra[at]!);
  return { widths, rank, limit, facts: factsOf(servers, limit) };
};

function strandsWithin(servers: Servers | undefined): number {
  if (servers === undefined) return Number.POSITIVE_INFINITY;
  const { baseMs, slopeMs } = servers.engine.line;
  return slopeMs === 0 ? Number.POSITIVE_INFINITY : Math.floor((slack * baseMs) / (slopeMs * servers.perStrand));
}

function factsOf(servers: Servers | undefined, limit: number): Readonly<Record<string, number>> {
  if (servers === undefined) return {};
  const { baseMs, slopeMs } = servers.engine.line;
  return { worth: limit, stepMs: baseMs + slopeMs * limit * servers.perStrand, limitMs: (1 + slack) * baseMs };
}

export const taper = definePolicy({
  name: 'taper',
  summary: "TAPER's widths, arXiv 2605.06914",
  settings: { positiveExit: 'on' },
  widths: defineWidths({
    name: 'slack',
    summary: "as many strands as the engine's step has slack for",
    make: () => slackWidths,
  }),
});
