// How far the judge of a finished vote agrees with it, without labels: the answer that most samples give stands for the right one, by
// votes that the judge has no say in. Questions on which samples all but agree, or on which no answer has half of them, say nothing. Pure.

import { meaningOf } from '../../answer/groups.ts';
import { hasEnded } from '../node.ts';
import type { Tree } from '../tree.ts';
import { type BranchAudit, branchAuditOf, scoreOf } from './branching.ts';
import { sampleEnds } from './certaindex.ts';
import { allEnds, isSplit, worthConstants } from './worth.ts';

/** Agreement of one search's judge with its vote, in numbers, which may be kept where texts may not. */
export interface Audit {
  /** The verifier and its settings, where they have a name. */
  readonly judge?: string;
  /** Pairs of a read sample of the majority's answer and one of another, and those that the judge orders so; ties count half. */
  readonly pairs: number;
  readonly right: number;
  /** Of a vote that branched; without pairs where it says nothing else. */
  readonly branched?: BranchAudit;
  /** Histograms of log odds: of the read samples of the majority's answer, and of those of others. */
  readonly agreed: readonly number[];
  readonly differed: readonly number[];
}

/** A sample that has ended: what it answers, and its score where the judge has read it. */
export interface AuditedSample {
  readonly meaning: string | undefined;
  readonly score: number | undefined;
}

const bestOdds = Math.log(1 / worthConstants.leastScore - 1);
const halfBins = 10;
export const auditBins = 2 * halfBins + 1;

export function binOdds(bin: number): number {
  return ((bin - halfBins) / halfBins) * bestOdds;
}

function binOf(score: number): number {
  const odds = Math.log(score / (1 - score));
  return halfBins + Math.round(Math.max(-1, Math.min(1, odds / bestOdds)) * halfBins);
}

/** Reads the independent samples of a vote, scored as they ended or later. A text that was drawn twice was read once. */
export function auditOf(tree: Tree): Audit | undefined {
  const branched = branchAuditOf(tree);
  const ends = tree.terms?.branches === undefined ? allEnds(tree) : sampleEnds(tree);
  const samples = ends.map((end, at) => {
    const score = ends.indexOf(end) === at ? (scoreOf(end) ?? end.reward) : undefined;
    return { meaning: hasEnded(end) ? meaningOf(end) : undefined, score };
  });
  const split = auditSamples(samples);
  if (branched === undefined) return split;
  return { pairs: 0, right: 0, agreed: [], differed: [], ...split, branched };
}

/** Undefined where the question is not split, or the judge has not read samples of both kinds. */
export function auditSamples(samples: readonly AuditedSample[]): Audit | undefined {
  const groups = Map.groupBy(samples, ({ meaning }) => meaning);
  groups.delete(undefined);
  const [first, second] = [...groups.values()].sort((a, b) => b.length - a.length);
  if (first === undefined || first.length === second?.length) return undefined;
  if (!isSplit(first.length / samples.length)) return undefined;
  const agreed = scoresOf(first);
  const differed = scoresOf(samples.filter(({ meaning }) => meaning !== first[0]!.meaning));
  const pairs = agreed.length * differed.length;
  if (pairs === 0) return undefined;
  return { pairs, right: ordered(differed, agreed), agreed: histogram(agreed), differed: histogram(differed) };
}

function scoresOf(samples: readonly AuditedSample[]): number[] {
  const scores = samples.flatMap(({ score }) => (score === undefined || Number.isNaN(score) ? [] : [score]));
  return scores.sort((a, b) => a - b);
}

/** Pairs of a low and a high one that are in this order; both lists ascend. */
function ordered(low: readonly number[], high: readonly number[]): number {
  let [below, upTo, pairs] = [0, 0, 0];
  for (const score of high) {
    while (low[below]! < score) below += 1;
    while (low[upTo]! <= score) upTo += 1;
    pairs += (below + upTo) / 2;
  }
  return pairs;
}

function histogram(scores: readonly number[]): number[] {
  const counts = Array<number>(auditBins).fill(0);
  for (const score of scores) counts[binOf(score)]! += 1;
  return counts;
}
