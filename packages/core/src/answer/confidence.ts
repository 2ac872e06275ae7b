// How likely a voted answer is right: a logistic form of its share of the vote, the number of samples and, where a judge has read it, its
// score. Fitted where searches stop, since an early stop selects the votes that look clear (`npm run lab -- confidence`). Pure.

export interface VotedStanding {
  /** Of the samples: those that say this answer. */
  readonly share: number;
  readonly samples: number;
  /** A judge's, 0 to 1: the mean over the paths with this answer that it has read. */
  readonly score?: number | undefined;
}

/** One weight for each of `featuresOf`. */
export type ConfidenceWeights = readonly number[];

/** Fitted on recorded samples of GSM8K and MATH-500, each with equal weight: votes on its first 210, scores on all 500. */
const shipped = {
  votes: [-1.94, 1.69, 1.18],
  scored: [-1.19, 1.1, 0.68, 0.69],
} as const;

/** Without a judge fewer samples never make an answer `confident` (log/verdict.ts): they may agree on the same mistake. */
const leastUnjudged = 8;
const mostUnjudged = 0.89;

export function confidenceOf(standing: VotedStanding): number {
  const { samples, score } = standing;
  const found = confidenceBy(score === undefined ? shipped.votes : shipped.scored, standing);
  return score === undefined && samples < leastUnjudged ? Math.min(found, mostUnjudged) : found;
}

export function confidenceBy(weights: ConfidenceWeights, standing: VotedStanding): number {
  const logit = featuresOf(standing).reduce((sum, each, at) => sum + each * (weights[at] ?? 0), 0);
  return 1 / (1 + Math.exp(-logit));
}

/** Samples of the largest votes that it was fitted to: more make no answer surer by their number alone. */
const mostFitted = 16;

/** 1, the log odds of the share as if there had been half a vote more for each side, the logarithm of the samples, and the score's log odds. */
export function featuresOf({ share, samples, score }: VotedStanding): number[] {
  const votes = share * samples;
  const known = [1, Math.log((votes + 0.5) / (samples - votes + 0.5)), Math.log(Math.min(samples, mostFitted))];
  return score === undefined ? known : [...known, logOdds(score)];
}

/** One sure score must not outweigh all votes. */
const [leastScore, mostScore] = [0.01, 0.99];

function logOdds(score: number): number {
  const held = Math.min(mostScore, Math.max(leastScore, score));
  return Math.log(held / (1 - held));
}
