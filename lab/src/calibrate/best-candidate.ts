// Chooses the candidate that saves most tokens and loses no more accuracy than allowed. Candidates that are sure to keep the budget
// go first. Where the questions are too few to be sure of any, one question more than was seen to be lost counts as lost.

import { lossAtWorst, reportOf } from './paired.ts';
import type { AnswerStanding, ShadowedSearch } from './shadow.ts';

export interface CandidateYield {
  /** Place in the list of candidates. */
  readonly candidate: number;
  /** Points of accuracy, one question more than was seen to be lost. */
  readonly pointsLost: number;
  /** Per cent. */
  readonly tokensSaved: number;
}

/** Undefined where none keeps within the budget, or none saves anything. */
export function bestCandidate(
  searches: readonly ShadowedSearch[],
  candidates: number,
  lossBudget: number,
): CandidateYield | undefined {
  const yields = Array.from({ length: candidates }, (_, at) => yieldOf(searches, at));
  const kept = yields.filter(({ pointsLost, tokensSaved }) => pointsLost <= lossBudget && tokensSaved > 0);
  const sure = kept.filter(({ candidate }) => atWorst(searches, candidate) <= lossBudget);
  return mostSaving(sure) ?? mostSaving(kept);
}

function mostSaving(yields: readonly CandidateYield[]): CandidateYield | undefined {
  return yields.reduce<CandidateYield | undefined>(
    (best, each) => (best && best.tokensSaved >= each.tokensSaved ? best : each),
    undefined,
  );
}

function atWorst(searches: readonly ShadowedSearch[], candidate: number): number {
  const pairs = searches.map(({ full, stops }) => {
    const stop = stops[candidate];
    return { full, exited: { ...(stop ?? full), fired: stop !== undefined } };
  });
  return lossAtWorst(reportOf(pairs));
}

/** Questions that a budget needs before a candidate that loses nothing is known to keep it. */
export function fewestQuestions(lossBudget: number): number {
  return lossBudget === 0 ? Number.POSITIVE_INFINITY : Math.ceil(100 / lossBudget);
}

function yieldOf(searches: readonly ShadowedSearch[], candidate: number): CandidateYield {
  const ended = searches.map(({ full, stops }) => stops[candidate] ?? full);
  const lost = count(searches.map(({ full }) => full)) - count(ended) + 1;
  const tokens = (standings: readonly AnswerStanding[]) => standings.reduce((sum, each) => sum + each.tokens, 0);
  const all = tokens(searches.map(({ full }) => full));
  return {
    candidate,
    pointsLost: (100 * lost) / Math.max(1, searches.length),
    tokensSaved: all === 0 ? 0 : 100 * (1 - tokens(ended) / all),
  };
}

function count(standings: readonly AnswerStanding[]): number {
  return standings.filter(({ right }) => right).length;
}
