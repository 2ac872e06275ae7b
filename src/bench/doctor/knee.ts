// Where more sequences at a time stop paying: the knee of a step-time curve. Pure.

export interface CurvePoint {
  readonly sequences: number;
  /** Mean time between two tokens of one sequence. */
  readonly stepMs: number;
  readonly tokensPerSecond: number;
}

/** Twice the sequences must give at least so many times the tokens, or they are not worth the latency. */
const worthwhile = 1.3;

/** The point from which no further doubling pays, on the whole: one that was measured badly does not hide those beyond. */
export function kneeOf(points: readonly CurvePoint[]): CurvePoint | undefined {
  const worth = ({ sequences, tokensPerSecond }: CurvePoint): number =>
    tokensPerSecond / worthwhile ** Math.log2(sequences);
  return points.reduce<CurvePoint | undefined>(
    (best, point) => (best === undefined || worth(point) > worth(best) ? point : best),
    undefined,
  );
}

/** Strands that fill the engine to its knee: each expansion of a strand is `branching` sequences. */
export function budgetFor(knee: CurvePoint, branching: number): number {
  return Math.max(1, Math.round(knee.sequences / branching));
}
