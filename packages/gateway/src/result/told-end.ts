// The end of a search for its clients, from its record or from the live search, and what each exit means to them.

import type { SearchPlan } from '@coppice/core/answering';
import type { SearchRecord, SearchState } from '@coppice/core/journal';
import { type ExitKind, writtenVerdict } from '@coppice/core/log';
import { ApiError } from '../http/api-error.ts';
import type { ClientResult, ResultFacts, ResultTexts } from '../wire/result-json.ts';
import type { ErrorJson, SummaryJson } from '../wire/search-json.ts';
import { unacceptedJson } from './unaccepted.ts';

export interface ToldEnd {
  readonly state: SearchState;
  readonly outcome: ResultFacts | undefined;
  readonly texts: ResultTexts | undefined;
  readonly error: ErrorJson | undefined;
}

/**
 * Clients get an error for a failed search; its findings stay with the search object. Every other search gives its
 * best answer so far, marked as complete or not.
 */
export function stateAfter(exit: ExitKind): 'done' | 'failed' | 'cancelled' {
  return exit === 'cancelled' || exit === 'failed' ? exit : 'done';
}

export interface WrittenOutcome extends Partial<ResultFacts> {
  readonly summary?: SummaryJson;
  readonly error?: ErrorJson;
}

/** Reads records of older versions too, which have other verdicts and no confidence. */
export function outcomeIn({ outcome }: Pick<SearchRecord, 'outcome'>): WrittenOutcome {
  const written = (outcome ?? {}) as WrittenOutcome;
  const { verdict, choices } = written;
  if (verdict === undefined) return written;
  const told = choices?.map((each) => ({ ...each, verdict: writtenVerdict(each.verdict) }));
  return { confidence: null, ...written, verdict: writtenVerdict(verdict), ...(told && { choices: told }) };
}

export function endOfRecord(record: SearchRecord): ToldEnd {
  const { state, texts } = record;
  const { error, summary, ...facts } = outcomeIn(record);
  const known = facts.exit === undefined ? undefined : (facts as ResultFacts);
  return { state, outcome: known, texts: texts as ResultTexts | undefined, error };
}

export function successorIn(record: SearchRecord | undefined): string | undefined {
  return (record?.outcome as Partial<ResultFacts> | undefined)?.escalated_to;
}

export function resultFor(plan: SearchPlan, end: ToldEnd): ClientResult | { readonly error: ErrorJson } {
  const { outcome, texts } = end;
  const error = end.error ?? unacceptedJson(plan, outcome);
  if (error !== undefined) return { error };
  return outcome === undefined || texts === undefined ? { error: cancelledEarly().body } : { outcome, texts };
}

export function cancelledEarly(): ApiError {
  return new ApiError('cancelled', 'the search was cancelled before it started');
}
