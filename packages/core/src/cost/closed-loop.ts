// The cost of a strand for all searches. A child of an open strand is first with the engine, then with the verifier, then asked for
// again: a closed loop between two servers, each of which takes longer the more it has. From the lines that both have
// measured follows how long one round takes with so many strands open, and from how many on another one is not worth it.

import type { CostLine } from './live-fit.ts';

/** How long a child takes on one server, over how many it has. */
export interface ServerCost {
  readonly line: CostLine;
  /** The same from much further back: it follows no change of load, and knows what a change costs. */
  readonly steady: CostLine;
}

export interface Servers {
  readonly engine: ServerCost;
  readonly verifier?: ServerCost | undefined;
  /** Children on their way per open strand, at the moments of decisions. */
  readonly perStrand: number;
  /** The same, as a mean over time: more, since a decision is made when something has just come back. */
  readonly overTime: number;
}

interface Cycle {
  readonly stepMs: number;
  readonly scoreMs: number;
}

/**
 * With N children on the way the servers hold them in proportion to the time that each takes (Little's law): n at the engine
 * and N - n at the verifier, where n · V(N - n) = (N - n) · G(n). With straight lines that is a quadratic equation for n.
 */
export function cycleOf({ engine, verifier, perStrand }: Servers, strands: number): Cycle {
  const children = strands * perStrand;
  if (verifier === undefined) return { stepMs: valueOn(engine.line, children), scoreMs: 0 };
  const [g, v] = [engine.line, verifier.line];
  const bend = g.slopeMs - v.slopeMs;
  const linear = g.baseMs + v.baseMs - bend * children;
  const root = Math.sqrt(Math.max(0, linear * linear + 4 * bend * children * g.baseMs));
  const atEngine = linear + root <= 0 ? children : Math.min(children, (2 * children * g.baseMs) / (linear + root));
  return { stepMs: valueOn(g, atEngine), scoreMs: valueOn(v, children - atEngine) };
}

export function roundMs({ stepMs, scoreMs }: Cycle): number {
  return stepMs + scoreMs;
}

function valueOn({ baseMs, slopeMs }: CostLine, children: number): number {
  return baseMs + slopeMs * children;
}

/** Use the long-run fit; the recent one is flat under steady load. */
export function steadily({ engine, verifier, perStrand, overTime }: Servers): Servers {
  const steady = (server: ServerCost) => ({ ...server, line: server.steady });
  const scores = verifier && { verifier: steady(verifier) };
  return { engine: steady(engine), ...scores, perStrand: Math.max(perStrand, overTime), overTime };
}

/** The most strands, from `least` up to `most`, that are worth it: each strand is worth less than the one before, so halving finds the last. */
export function lastWorthwhile(least: number, most: number, isWorthIt: (strands: number) => boolean): number {
  let [good, bad] = [least, most + 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (isWorthIt(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** Elasticity of the round time: one per cent more strands lengthen the round by so many per cent. */
export function stretchOf(servers: Servers, strands: number): number {
  const withIt = roundMs(cycleOf(servers, strands));
  const without = roundMs(cycleOf(servers, strands - 1));
  return withIt <= 0 ? 0 : (strands * (withIt - without)) / withIt;
}
