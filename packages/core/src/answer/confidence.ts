// How likely a voted answer is right: a logistic form of its share of the vote, the number of samples and, where a judge has read it, its
// score. Fitted where searches stop, since an early stop selects the votes that look clear (`npm run lab -- confidence`). Pure.

import { chanceOf, logisticLine, mean, type OddsLine } from '../base/arithmetic.ts';

export interface VotedStanding {
  /** Share of the samples that say this answer. */
  readonly share: number;
  readonly samples: number;
  /** A judge's, 0 to 1: the mean over the paths with this answer that it has read. */
  readonly score?: number | undefined;
}

/** Fitted on recorded samples of GSM8K and MATH-500, each with equal weight: votes on its first 210, scores on all 500. */
const shipped = {
  votes: [-1.94, 1.69, 1.18],
  scored: [-1.19, 1.1, 0.68, 0.69],
} as const;

/** Without a judge fewer samples never make an answer `confident` (log/verdict.ts): they may agree on the same mistake. */
const leastUnjudged = 8;
const mostUnjudged = 0.89;

export function confidenceOf(standing: VotedStanding, own?: OddsLine): number {
  const { samples, score } = standing;
  const [height, slope] = own ?? [0, 1];
  const found = chanceOf(height + slope * shippedOdds(standing));
  const isBound = own === undefined && score === undefined && samples < leastUnjudged;
  return isBound ? Math.min(found, mostUnjudged) : found;
}

function shippedOdds(standing: VotedStanding): number {
  return oddsBy(standing.score === undefined ? shipped.votes : shipped.scored, standing);
}

/** `weights`: one for each of `featuresOf`. */
export function confidenceBy(weights: readonly number[], standing: VotedStanding): number {
  return chanceOf(oddsBy(weights, standing));
}

function oddsBy(weights: readonly number[], standing: VotedStanding): number {
  return featuresOf(standing).reduce((sum, each, at) => sum + each * (weights[at] ?? 0), 0);
}

export interface LabelledStop {
  readonly standing: VotedStanding;
  readonly right: boolean;
}

/** Questions below which labels of one's own say nothing; and what the shipped form weighs beside them. */
export const leastLabelled = 50;
const shippedWeight = 2;

/** By labels of one's own: a line over the log odds of the shipped form. The stops of a question count as one. Undefined where there are too few. */
export function fitConfidence(questions: readonly (readonly LabelledStop[])[]): OddsLine | undefined {
  if (questions.length < leastLabelled) return undefined;
  const outcomes = questions.flatMap((stops) =>
    stops.map(({ standing, right }) => {
      const all = 1 / stops.length;
      return { reading: shippedOdds(standing), yes: right ? all : 0, all };
    }),
  );
  // In the middle of what was seen its height says how often answers are right here.
  const middle = mean(outcomes.map(({ reading }) => reading));
  const centred = outcomes.map((each) => ({ ...each, reading: each.reading - middle }));
  const [height, slope] = logisticLine(centred, [middle, 1], shippedWeight);
  return [Number((height - slope * middle).toFixed(3)), Number(slope.toFixed(3))];
}

/** Samples of the largest votes that it was fitted to: more make no answer surer by their number alone. */
const mostFitted = 16;

/** 1, the log odds of the share as if there had been half a vote more for each side, the logarithm of the samples, and the score's log odds. */
export function featuresOf({ share, samples, score }: VotedStanding): number[] {
  const votes = share * samples;
  const known = [1, Math.log((votes + 0.5) / (samples - votes + 0.5)), Math.log(Math.min(samples, mostFitted))];
  return score === undefined ? known : [...known, logOdds(score)];
}

/** Limits of a score: a sure one must not outweigh all votes. */
const [leastScore, mostScore] = [0.01, 0.99];

function logOdds(score: number): number {
  const held = Math.min(mostScore, Math.max(leastScore, score));
  return Math.log(held / (1 - held));
}
