// Sums up what finished searches say of their judge (tree/readings/audit.ts): how often it agrees with the vote, and how much its scores
// may weigh in one. The same rows in the same order give the same, on every node. Pure.

import { logisticLine } from '../base/arithmetic.ts';
import { type Audit, auditBins, binOdds } from '../tree/readings/audit.ts';

/** A finished search: the key that it was asked with, and its audit where it has one. */
export interface AuditRow {
  readonly owner: string;
  readonly audit?: Audit | undefined;
}

export interface AuditedJudge {
  /** Split questions among the latest searches. */
  readonly questions: number;
  /** Share of pairs in which it agrees with the vote: its AUC within a question; undefined while too few are known. */
  readonly agreement?: number;
  /** s of a weight odds^s; undefined while too few are known. */
  readonly trust?: number;
}

/** Searches after which one counts half. */
const halfLife = 2000;
const latest = 2 * halfLife;
/** Nothing is said below so many split questions among the latest: a judge that is not used is tried again after a while. */
export const leastQuestions = 50;
/** From so many on, a judge that differs from the vote more often than not weighs nothing. */
const suspectQuestions = 10;
/** Most of the weight that one key has, once the others have shown enough. */
const mostOfKey = 0.2;
/** Less is as good as none, and would only be noise. */
const leastTrust = 0.05;

/** `rows`: of one model and its weights, newest first. */
export function judgeOf(rows: Iterable<AuditRow>, name?: string): AuditedJudge {
  const kept: { readonly owner: string; readonly audit: Audit; readonly weight: number }[] = [];
  let [age, questions] = [0, 0];
  for (const { owner, audit } of rows) {
    if (audit !== undefined && audit.judge === name) kept.push({ owner, audit, weight: 2 ** (-age / halfLife) });
    age += 1;
    if (age <= latest) questions = kept.length;
  }
  if (questions < leastQuestions)
    return isSuspect(kept.map(({ audit }) => audit)) ? { questions, trust: 0 } : { questions };
  const sums = new Map<string, number>();
  for (const { owner, weight } of kept) sums.set(owner, (sums.get(owner) ?? 0) + weight);
  const most = mostFor([...sums.values()], leastQuestions / kept.length);
  let [pairs, right] = [0, 0];
  const agreed = Array<number>(auditBins).fill(0);
  const differed = Array<number>(auditBins).fill(0);
  for (const { owner, audit, weight: full } of kept) {
    const weight = full * Math.min(1, most / sums.get(owner)!);
    pairs += weight * audit.pairs;
    right += weight * audit.right;
    for (let bin = 0; bin < auditBins; bin += 1) {
      agreed[bin]! += weight * audit.agreed[bin]!;
      differed[bin]! += weight * audit.differed[bin]!;
    }
  }
  // The square of the slope: the vote is wrong at times, and a weak judge agrees with it more than with the truth (lab: worth --table trust).
  const trust = Math.min(1, Math.max(0, slopeOf(agreed, differed))) ** 2;
  return { questions, agreement: right / pairs, trust: trust < leastTrust ? 0 : trust };
}

function isSuspect(audits: readonly Audit[]): boolean {
  const differed = audits.reduce((sum, { pairs, right }) => sum + pairs / 2 - right, 0);
  return audits.length >= suspectQuestions && differed >= 0;
}

/**
 * The most that a key may weigh: a fifth of what all then weigh together. Where few keys ask, that would leave next to nothing: then as
 * much as leaves this part of the weight of all.
 */
function mostFor(sums: readonly number[], leastPart: number): number {
  const all = (most: number) => sums.reduce((sum, each) => sum + Math.min(each, most), 0);
  let [low, high] = [0, Math.max(...sums)];
  const least = leastPart * all(high);
  for (let step = 0; step < 40; step += 1) {
    const most = (low + high) / 2;
    if (most <= mostOfKey * all(most) || all(most) <= least) low = most;
    else high = most;
  }
  return high;
}

/** Of agreement on log odds. The ridge holds the slope of a judge that is never wrong. */
function slopeOf(agreed: readonly number[], differed: readonly number[]): number {
  const outcomes = agreed.map((yes, bin) => ({ reading: binOdds(bin), yes, all: yes + differed[bin]! }));
  return logisticLine(outcomes, [0, 0], 1e-3)[1];
}

/** `fixed`: the operator's `trust`. */
export function judgeSentence({ questions, agreement, trust }: AuditedJudge, fixed?: number): string {
  if (fixed === 0) return 'your reward model is not used: trust is set to 0';
  const by = fixed === undefined ? '' : `; trust is set to ${fixed}`;
  if (agreement === undefined) {
    const far = `${questions} of ${leastQuestions} questions on which samples disagree so far`;
    return `how far your reward model agrees with the vote is unknown: ${far}${by}`;
  }
  const pairs = `in ${Math.round(100 * agreement)} of 100 pairs`;
  if (fixed === undefined && trust === 0)
    return `your reward model is not used: it agrees with the vote ${pairs}, no more than chance`;
  return `your reward model agrees with the vote ${pairs}${by || ' and is used as a weight'}`;
}
