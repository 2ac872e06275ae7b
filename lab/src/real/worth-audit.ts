// How far a judge can be trusted, without labels: its scores against the unweighted majority, over questions in which that has 50 to 95 % of the votes.
// Against labels for comparison.

import type { VoteQuestion } from './worth-course.ts';
import { worthConstants } from './worth-line.ts';

export interface JudgeAudit {
  /** Questions that count. */
  readonly split: number;
  /** AUC within a question, mean over pairs: by agreement with the majority, and by labels over all questions. */
  readonly agreed: number;
  readonly labelled: number;
  /** Slope of agreement on the log odds of the score, in [0, 1]: over all samples, and over pairs within a question. */
  readonly slope: number;
  readonly within: number;
}

const [leastShare, mostShare] = [0.5, 0.95];

export function auditOf(questions: readonly VoteQuestion[]): JudgeAudit {
  const told = questions.flatMap((question) => {
    const leader = majorityOf(question);
    return leader === undefined ? [] : [readOf(question, (answer) => answer === leader)];
  });
  const labelled = questions.map((question) => readOf(question, (answer) => question.right[answer] === 1));
  return {
    split: told.length,
    agreed: auc(told),
    labelled: auc(labelled),
    slope: held(slopeOf(told.flatMap(({ yes, no }) => [...points(yes, 1), ...points(no, 0)]))),
    within: held(slopeOfPairs(told)),
  };
}

function held(slope: number): number {
  return Math.min(1, Math.max(0, slope || 0));
}

/** The leading answer where it leads alone and has 50 to 95 % of the samples. */
export function majorityOf({ answers, right }: VoteQuestion): number | undefined {
  const votes = Array.from(right, (_, answer) => answers.reduce((sum, each) => sum + Number(each === answer), 0));
  const [first = 0, second = 0] = votes.toSorted((a, b) => b - a);
  const share = first / answers.length;
  return first > second && share >= leastShare && share <= mostShare ? votes.indexOf(first) : undefined;
}

/** Log odds of the samples that are one thing, and of the others. */
interface ToldApart {
  readonly yes: readonly number[];
  readonly no: readonly number[];
}

/** Samples without an answer or a reading say nothing. */
function readOf({ answers, scores }: VoteQuestion, is: (answer: number) => boolean): ToldApart {
  const [yes, no]: [number[], number[]] = [[], []];
  for (const [at, answer] of answers.entries()) {
    if (answer >= 0 && !Number.isNaN(scores[at]!)) (is(answer) ? yes : no).push(logOdds(scores[at]!));
  }
  return { yes, no };
}

function logOdds(score: number): number {
  const { leastScore } = worthConstants;
  const kept = Math.min(1 - leastScore, Math.max(leastScore, score));
  return Math.log(kept / (1 - kept));
}

function auc(questions: readonly ToldApart[]): number {
  let [won, pairs] = [0, 0];
  for (const { yes, no } of questions)
    for (const high of yes)
      for (const low of no) {
        pairs += 1;
        won += high === low ? 0.5 : Number(high > low);
      }
  return won / pairs;
}

interface FitPoint {
  readonly x: number;
  readonly y: 0 | 1;
}

function points(all: readonly number[], y: 0 | 1): FitPoint[] {
  return all.map((x) => ({ x, y }));
}

/** Logistic regression with an intercept, by Newton's steps. */
function slopeOf(all: readonly FitPoint[]): number {
  let [slope, level] = [0, 0];
  for (let step = 0; step < 30; step += 1) {
    let [g0, g1, h00, h01, h11] = [0, 0, 1e-9, 0, 1e-9];
    for (const { x, y } of all) {
      const chance = 1 / (1 + Math.exp(-level - slope * x));
      const spread = chance * (1 - chance);
      g0 += y - chance;
      g1 += (y - chance) * x;
      h00 += spread;
      h01 += spread * x;
      h11 += spread * x * x;
    }
    const determinant = h00 * h11 - h01 * h01;
    level += (h11 * g0 - h01 * g1) / determinant;
    slope += (h00 * g1 - h01 * g0) / determinant;
  }
  return slope;
}

/** Every question counts as much as it has samples; its own level cancels out in a pair. */
function slopeOfPairs(questions: readonly ToldApart[]): number {
  let slope = 0;
  for (let step = 0; step < 30; step += 1) {
    let [gradient, curvature] = [0, 1e-9];
    for (const { yes, no } of questions) {
      const share = (yes.length + no.length) / (yes.length * no.length);
      for (const high of yes)
        for (const low of no) {
          const chance = 1 / (1 + Math.exp(-slope * (high - low)));
          gradient += share * (1 - chance) * (high - low);
          curvature += share * chance * (1 - chance) * (high - low) ** 2;
        }
    }
    slope += gradient / curvature;
  }
  return slope;
}
