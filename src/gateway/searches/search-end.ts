// How the exit of a search becomes its end: the state that clients see, its result, and the error that they are told
// instead of an answer. This is the one place where exits become states and, over http/api-error.ts, HTTP statuses.

import type { FaultCode } from '../../base/fault.ts';
import type { ExitKind } from '../../log/end.ts';
import { ApiError } from '../http/api-error.ts';
import type { ClientResult } from '../wire/result-json.ts';
import type { Ended, LiveSearch } from './live-search.ts';
import { makeResult } from './search-result.ts';

/**
 * `answer`: 200 with the best so far, which says itself whether it is complete. `error`: the status of the error; what was
 * found until then stays with the search object.
 */
interface ExitMeaning {
  readonly state: Ended['state'];
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

/** Of a search whose `exited` event has come, and whose successor, if it has one, is known. */
export function endOf(search: LiveSearch, endedMs: number): Ended {
  const result = finalResult(search);
  const { state, tells } = exitMeanings[result.outcome.exit.kind];
  return { state, endedMs, result, error: tells === 'error' ? failureOf(search.lastFault) : undefined };
}

function finalResult({ facts, fold, promptTokens, successor }: LiveSearch): ClientResult {
  const result = makeResult(facts.plan, fold, promptTokens, facts.createdMs);
  if (successor === undefined) return result;
  return { ...result, outcome: { ...result.outcome, escalated_to: successor.id } };
}

/** Of a search that has ended; throws what its client is to be told where it has none. */
export function requireResult({ ended }: LiveSearch): ClientResult {
  if (ended?.error !== undefined) throw ended.error;
  if (ended?.result === undefined) throw new ApiError('cancelled', 'the search was cancelled before it started');
  return ended.result;
}

/** Only the code of the fault: its message may speak of servers that are no business of the client. */
function failureOf(code: FaultCode | undefined): ApiError {
  if (code === 'too-long') {
    const message = 'the messages do not fit the context of the model';
    return new ApiError('context_length_exceeded', message, { param: 'messages' });
  }
  const message = `engine or verifier could not go on (${code ?? 'internal'}); the search and its events say more`;
  return new ApiError('engine_failed', message);
}
