// Where more sequences at a time stop paying: the knee of a step-time curve. Pure.

export interface CurvePoint {
  readonly sequences: number;
  /** Mean time between two tokens of one sequence. */
  readonly stepMs: number;
  readonly tokensPerSecond: number;
}

/** So much of the highest throughput is enough: what lies beyond costs every sequence time and gives little more. */
const enough = 0.8;

/**
 * The fewest sequences that give most of the highest throughput. It is measured from the top: on a curve that rises slowly
 * all the way no single doubling seems to pay, and yet one sequence would be far too few.
 */
export function kneeOf(points: readonly CurvePoint[]): CurvePoint | undefined {
  const highest = Math.max(...points.map((each) => each.tokensPerSecond));
  return points.find(({ tokensPerSecond }) => tokensPerSecond >= enough * highest);
}

/** Strands that fill the engine to its knee: each expansion of a strand is `branching` sequences. */
export function budgetFor(knee: CurvePoint, branching: number): number {
  return Math.max(1, Math.round(knee.sequences / branching));
}
