// Ids and fingerprints of searches, and their records in the journal at start and end.

import { createHash, randomBytes } from 'node:crypto';
import { actingThreshold, type SearchPlan } from '@coppice/core/answering';
import { hash } from '@coppice/core/base';
import type { Ending, NewSearch, OfferedSearch, Plain } from '@coppice/core/journal';
import type { Session } from '@coppice/core/runtime';
import type { AboutJson, SessionJson } from '../wire/search-json.ts';
import type { Ended, LiveSearch } from './live-search.ts';

export function newId(prefix: string, nowMs: number): string {
  return `${prefix}${timePart(nowMs)}${randomBytes(10).toString('hex')}`;
}

function timePart(atMs: number): string {
  return Math.floor(atMs).toString(16).padStart(12, '0');
}

/** Derived from the first search's id, so that a restart begins the same successor. Sorts after it. */
export function successorId({ id, createdMs }: { readonly id: string; readonly createdMs: number }): string {
  return `srch_${timePart(createdMs + 1)}${createHash('sha256').update(id).digest('hex').slice(0, 20)}`;
}

export function randomSeed(): number {
  return hash(randomBytes(8).toString('hex'));
}

export function fingerprint(body: Plain): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('hex');
}

function aboutPlan(plan: SearchPlan, escalatedFrom: string | null): AboutJson {
  const { model, mode, program, policy, scoring, priority, rollouts, tokenBudget, deadlineMs } = plan;
  const limits = { rollouts, threshold: actingThreshold(plan), token_budget: tokenBudget, deadline_ms: deadlineMs };
  return {
    model,
    mode,
    program,
    policy,
    ...(plan.weights === undefined ? {} : { weights: plan.weights }),
    ...(plan.session && { session: viewSession(plan.session) }),
    scoring,
    priority,
    limits,
    escalated_from: escalatedFrom,
  };
}

function viewSession({ sinceMs, turns, open, seconds, tokens, money, tokenBudget, moneyBudget }: Session): SessionJson {
  return {
    since_ms: sinceMs,
    turns,
    ...(open ? { open } : {}),
    seconds,
    tokens,
    money,
    ...(tokenBudget === undefined ? {} : { token_budget: tokenBudget }),
    ...(moneyBudget === undefined ? {} : { money_budget: moneyBudget }),
  };
}

export function toAccept({ facts, turn }: LiveSearch, idempotencyKey?: string): NewSearch {
  const { id, owner, plan, body, chat, background, createdMs, title, escalatedFrom, home } = facts;
  // Only escalation reads the chat again.
  const isKept = chat !== undefined && chat !== body && plan.onUnaccepted === 'escalate';
  return {
    id,
    owner,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    fingerprint: fingerprint(body),
    background,
    createdMs,
    session: plan.session?.id,
    about: { ...aboutPlan(plan, escalatedFrom), turn, ...(home && { home }), ...(plan.idle && { idle: true }) },
    title,
    request: { plan, body, ...(isKept && { chat }) },
  };
}

export function offered({ id, facts, turn }: LiveSearch): OfferedSearch {
  return { id, model: facts.plan.model, turn };
}

export function toFinish(search: LiveSearch, { state, endedMs, result, error }: Ended): Ending {
  const failure = error === undefined ? {} : { error: error.body };
  const outcome = { ...result?.outcome, summary: search.summary, ...failure };
  const log = result === undefined ? {} : { lastSequence: search.fold.sequence };
  return { state, endedMs, outcome, texts: { ...result?.texts }, ...log };
}
