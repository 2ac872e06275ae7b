// Service levels: which searches kept their deadline, how tight deadlines may be, and how fair the waiting was. A
// deadline is a base times a scale times the difficulty of the question (P1 §6.1). Pure.

import type { Served } from '../service/index.ts';
import { percentile } from '../statistics.ts';

/** Share of searches that a service level demands, in percent. */
export const levelShare = 90;

/** Ended by itself within its deadline; one that the deadline has cut off gave its best so far and did not attain. */
function attains({ arrivalMs, endedMs, exit, difficulty }: Served, baseMs: number, scale: number): boolean {
  return exit !== 'deadline' && endedMs - arrivalMs <= baseMs * scale * difficulty;
}

/** Share of searches that keep their deadline, in percent. */
export function attainment(served: readonly Served[], baseMs: number, scale: number): number {
  return (100 * served.filter((each) => attains(each, baseMs, scale)).length) / served.length;
}

/** The smallest scale at which `levelShare` percent keep their deadline. */
export function tightestScale(served: readonly Served[], baseMs: number): number {
  const wanted = served.map(({ arrivalMs, endedMs, exit, difficulty }) =>
    exit === 'deadline' ? Number.POSITIVE_INFINITY : (endedMs - arrivalMs) / (baseMs * difficulty),
  );
  return percentile(wanted, levelShare);
}

/**
 * Finish-time fairness (P1 §5.3.1, §6.6): milliseconds from arrival to end per token that the search would have generated at its full
 * cap, so that an early end does not make a search look worse served.
 */
export interface Fairness {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** `tokens` are those at the full cap, in the order of `served`. */
export function fairnessOf(served: readonly Served[], tokens: readonly number[]): Fairness {
  const shares = served.flatMap(({ arrivalMs, endedMs }, at) =>
    tokens[at]! > 0 ? [(endedMs - arrivalMs) / tokens[at]!] : [],
  );
  return { p50: percentile(shares, 50), p90: percentile(shares, 90), p99: percentile(shares, 99) };
}

/**
 * The highest load at which the level is kept, up to the first crossing, interpolated between two loads. Undefined if it is
 * not kept at the lowest load; the highest load if it is kept everywhere.
 */
export function loadAtLevel(points: readonly (readonly [load: number, attained: number])[]): number | undefined {
  const at = points.findIndex(([, attained]) => attained < levelShare);
  if (at === 0) return undefined;
  if (at < 0) return points.at(-1)![0];
  const [[low, above], [high, below]] = [points[at - 1]!, points[at]!];
  return low + ((high - low) * (above - levelShare)) / (above - below);
}
