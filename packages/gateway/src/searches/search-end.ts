// Turns the exit of a search into its end: the state that clients see, its result, and the error in place of an answer. With
// http/api-error.ts it maps exits to HTTP statuses.

import type { SearchPlan } from '@coppice/core/answering';
import type { FaultCode } from '@coppice/core/base';
import { agentTurn } from '@coppice/core/tree';
import { ApiError } from '../http/api-error.ts';
import { makeResult } from '../result/search-result.ts';
import { cancelledEarly, stateAfter, type ToldEnd } from '../result/told-end.ts';
import { shouldEscalate, unacceptedError } from '../result/unaccepted.ts';
import type { ClientResult } from '../wire/result-json.ts';
import type { Ended, LiveSearch } from './live-search.ts';

export function endOf(search: LiveSearch, endedMs: number, retryAfterSeconds: number): Ended {
  const result = finalResult(search);
  const state = stateAfter(result.outcome.exit.kind);
  const error = errorOf(search, result, retryAfterSeconds);
  return { state: error === undefined || state === 'cancelled' ? state : 'failed', endedMs, result, error };
}

function errorOf(search: LiveSearch, { outcome }: ClientResult, retryAfterSeconds: number): ApiError | undefined {
  const { kind, rule, evidence } = outcome.exit;
  if (kind === 'cancelled' && !outcome.complete) return cancelError(rule);
  if (kind === 'failed' && rule === 'absent')
    return new ApiError('engine_failed', `no model that the search may ask could answer: ${evidence.absent}`);
  const fault = rule === 'trouble' ? 'unavailable' : search.lastFault;
  if (kind === 'failed') return failureOf(fault, search.facts.plan);
  if (kind !== 'deadline' || outcome.usage.completion_tokens > 0) return undefined;
  return new ApiError('deadline_passed', lateness(search), { retryAfterSeconds });
}

/** The error if the server cancelled the search; undefined if its client did. */
export function cancelError(reason: string): ApiError | undefined {
  if (reason === 'shutdown')
    return new ApiError('shutting_down', 'the server was shut down before the answer was complete', {
      retryAfterSeconds: 5,
    });
  if (reason === 'key-removed')
    return new ApiError('invalid_api_key', 'the API key was removed before the answer was complete');
  return undefined;
}

function lateness({ facts, fold: { exit, admittedMs } }: LiveSearch): string {
  const deadline = `the deadline of ${facts.plan.deadlineMs} ms (coppice.deadline_ms)`;
  if (exit?.rule === 'wait') {
    const { waitedMs, expectedWaitMs, serviceMs, leftMs } = exit.evidence;
    return `given up after ${waitedMs} ms in the queue: ${expectedWaitMs} ms more and a service of ${serviceMs} ms do not fit into the ${leftMs} ms left of ${deadline}`;
  }
  return `${deadline} passed ${admittedMs === undefined ? 'before the search could start' : 'before its first token'}`;
}

function finalResult({ facts, fold, promptTokens, successor, knownSuccessor }: LiveSearch): ClientResult {
  const result = makeResult(facts.plan, fold, promptTokens, facts.createdMs);
  const escalatedTo = successor?.id ?? knownSuccessor;
  return escalatedTo === undefined ? result : { ...result, outcome: { ...result.outcome, escalated_to: escalatedTo } };
}

export function mayEscalate({ facts: { plan, createdMs }, fold, cancelled }: LiveSearch): boolean {
  if (plan.onUnaccepted !== 'escalate' || cancelled) return false;
  const { exit, verdict } = makeResult(plan, fold, 0, createdMs).outcome;
  return shouldEscalate(plan, exit.kind, verdict);
}

export function endOfLive({ state, ended }: LiveSearch): ToldEnd {
  const { result, error } = ended ?? {};
  return { state, outcome: result?.outcome, texts: result?.texts, error: error?.body };
}

export function requireResult({ ended, facts }: LiveSearch): ClientResult {
  if (ended?.error !== undefined) throw ended.error;
  if (ended?.result === undefined) throw cancelledEarly();
  const unaccepted = unacceptedError(facts.plan, ended.result.outcome);
  if (unaccepted !== undefined) throw unaccepted;
  return ended.result;
}

/** Shows the fault's code only: its message may name servers, which clients must not learn. */
function failureOf(code: FaultCode | undefined, { shape, prompt }: SearchPlan): ApiError {
  if (code === 'too-long') {
    const message = 'the messages do not fit the context of the model';
    return new ApiError('context_length_exceeded', message, { param: 'messages' });
  }
  const param = shape ? 'response_format' : agentTurn(prompt) && 'tools';
  if (param !== undefined && (code === 'refused' || code === 'unsupported')) {
    const part = shape ? 'the schema of the answer' : 'a message, an image or the schema of a tool';
    const message = `the engine refuses this request; ${part} is probably one that it cannot ${shape ? 'hold to' : 'read'}`;
    return new ApiError('invalid_value', message, { param });
  }
  const message = `engine or verifier could not go on (${code ?? 'internal'}); the search and its events say more`;
  return new ApiError('engine_failed', message);
}
