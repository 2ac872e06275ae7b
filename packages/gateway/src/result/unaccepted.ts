// Replies for a search whose answer is unsure or missing, as `on_unaccepted` says: its best attempt, a refusal, or an error. The record
// of the search shows the attempt in each case.

import type { SearchPlan } from '@coppice/core/answering';
import { type ExitKind, isDoubtful, type Verdict } from '@coppice/core/log';
import { ApiError } from '../http/api-error.ts';
import type { ResultFacts } from '../wire/result-json.ts';
import type { ErrorJson } from '../wire/search-json.ts';

type UnacceptedChoice = Pick<SearchPlan, 'mode' | 'onUnaccepted'>;

/** True if no text may be sent before the verdict is known. */
export function isHeldBack({ onUnaccepted = 'best' }: UnacceptedChoice): boolean {
  return onUnaccepted !== 'best';
}

/** False for a generation without search, which is not judged, and for cancelled and failed searches, which have their own replies. */
export function isUnaccepted({ mode }: UnacceptedChoice, exit: ExitKind, verdict: Verdict): boolean {
  return mode === 'search' && isDoubtful(verdict) && exit !== 'cancelled' && exit !== 'failed';
}

/** True if another search takes over. Never at a deadline: there is no time left. */
export function shouldEscalate(plan: UnacceptedChoice, exit: ExitKind, verdict: Verdict): boolean {
  return plan.onUnaccepted === 'escalate' && exit !== 'deadline' && isUnaccepted(plan, exit, verdict);
}

/** `why`: the verdict in words, which name no answer. */
export function unacceptedText(why: string, rollouts: number): string {
  return `No answer is sure enough after ${rollouts} rollout${rollouts === 1 ? '' : 's'} (${why}).`;
}

export function unacceptedError(plan: UnacceptedChoice, outcome: ResultFacts): ApiError | undefined {
  const { verdict, verdict_text, rollouts, exit } = outcome;
  if (plan.onUnaccepted !== 'error' || !isUnaccepted(plan, exit.kind, verdict)) return undefined;
  return new ApiError('not_accepted', unacceptedText(verdict_text, rollouts));
}

export function unacceptedJson(plan: UnacceptedChoice, outcome: ResultFacts | undefined): ErrorJson | undefined {
  return outcome && unacceptedError(plan, outcome)?.body;
}
