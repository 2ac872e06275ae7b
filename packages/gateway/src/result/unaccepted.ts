// The reply for a search without an accepted answer, as `on_unaccepted` says: its best attempt, a refusal, or an error. Its record shows
// the attempt in each case.

import type { SearchPlan } from '@coppice/core/answering';
import { type ExitKind, roundedScore, type Verdict } from '@coppice/core/log';
import { ApiError } from '../http/api-error.ts';
import type { ResultFacts } from '../wire/result-json.ts';
import type { ErrorJson } from '../wire/search-json.ts';

type UnacceptedChoice = Pick<SearchPlan, 'mode' | 'onUnaccepted' | 'threshold'>;

/** No text may be sent before the verdict is known. */
export function isHeldBack({ onUnaccepted = 'best' }: UnacceptedChoice): boolean {
  return onUnaccepted !== 'best';
}

/** A generation without search is not judged; cancelled and failed searches are told as such. */
export function isUnaccepted({ mode }: UnacceptedChoice, exit: ExitKind, verdict: Verdict): boolean {
  return mode === 'search' && verdict !== 'accepted' && exit !== 'cancelled' && exit !== 'failed';
}

/** Whether another search takes over: at a deadline there is no time left. */
export function handsOn(plan: UnacceptedChoice, exit: ExitKind, verdict: Verdict): boolean {
  return plan.onUnaccepted === 'escalate' && exit !== 'deadline' && isUnaccepted(plan, exit, verdict);
}

export function unacceptedText(verdict: Verdict, score: number | null, threshold: number, rollouts: number): string {
  const reasons: Readonly<Record<Verdict, string>> = {
    accepted: 'the one that was found is',
    'below-threshold': `the best score is ${roundedScore(score ?? 0)}, below the threshold ${threshold}`,
    unscored: 'no verifier has judged one',
    none: 'no path came to one',
  };
  const made = `after ${rollouts} rollout${rollouts === 1 ? '' : 's'}`;
  return `No answer was accepted ${made}: ${reasons[verdict]}.`;
}

export function unacceptedError(plan: UnacceptedChoice, outcome: ResultFacts): ApiError | undefined {
  const { verdict, score, rollouts, exit } = outcome;
  if (plan.onUnaccepted !== 'error' || !isUnaccepted(plan, exit.kind, verdict)) return undefined;
  return new ApiError('not_accepted', unacceptedText(verdict, score, plan.threshold, rollouts));
}

export function unacceptedJson(plan: UnacceptedChoice, outcome: ResultFacts | undefined): ErrorJson | undefined {
  return outcome && unacceptedError(plan, outcome)?.body;
}
