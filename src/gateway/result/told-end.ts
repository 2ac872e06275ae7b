// The end of a search as its clients are told of it, whether its record or the live search says it, and what each exit means to them.

import type { SearchPlan } from '../../answering/plan/search-plan.ts';
import type { SearchRecord, SearchState } from '../../journal/journal.ts';
import type { ExitKind } from '../../log/end.ts';
import { ApiError } from '../http/api-error.ts';
import type { ClientResult, ResultFacts, ResultTexts } from '../wire/result-json.ts';
import type { ErrorJson } from '../wire/search-json.ts';
import { unacceptedJson } from './unaccepted.ts';

export interface ToldEnd {
  readonly state: SearchState;
  readonly outcome: ResultFacts | undefined;
  readonly texts: ResultTexts | undefined;
  readonly error: ErrorJson | undefined;
}

/**
 * `answer`: 200 with the best so far, which says itself whether it is complete. `error`: the status of the error; what was
 * found until then stays with the search object.
 */
interface ExitMeaning {
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly tells: 'answer' | 'error';
}

export const exitMeanings: Readonly<Record<ExitKind, ExitMeaning>> = {
  accepted: { state: 'done', tells: 'answer' },
  futile: { state: 'done', tells: 'answer' },
  certain: { state: 'done', tells: 'answer' },
  settled: { state: 'done', tells: 'answer' },
  exhausted: { state: 'done', tells: 'answer' },
  deadline: { state: 'done', tells: 'answer' },
  cancelled: { state: 'cancelled', tells: 'answer' },
  failed: { state: 'failed', tells: 'error' },
};

export function endOfRecord({ state, outcome, texts }: SearchRecord): ToldEnd {
  const { error, ...facts } = (outcome ?? {}) as Partial<ResultFacts> & { readonly error?: ErrorJson };
  const known = facts.exit === undefined ? undefined : (facts as ResultFacts);
  return { state, outcome: known, texts: texts as ResultTexts | undefined, error };
}

/** The search that took over from it, by its id. */
export function successorIn(record: SearchRecord | undefined): string | undefined {
  return (record?.outcome as Partial<ResultFacts> | undefined)?.escalated_to;
}

/** The result, or the error that is told in its place. */
export function resultIn({ outcome, texts, error }: ToldEnd): ClientResult | { readonly error: ErrorJson } {
  if (error !== undefined) return { error };
  if (outcome === undefined || texts === undefined) return { error: cancelledEarly().body };
  return { outcome, texts };
}

/** The same as a client is told it that asked for an error where no answer is accepted. */
export function resultFor(plan: SearchPlan, end: ToldEnd): ClientResult | { readonly error: ErrorJson } {
  const error = end.error ?? unacceptedJson(plan, end.outcome);
  return resultIn(error === undefined ? end : { ...end, error });
}

export function cancelledEarly(): ApiError {
  return new ApiError('cancelled', 'the search was cancelled before it started');
}
