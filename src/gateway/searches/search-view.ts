// A search as clients see it (docs/http-api.md), the same shape from this process's memory and from the journal.

import type { Plain, SearchRecord } from '../../journal/journal.ts';
import type { SearchPlan } from '../plan/plan.ts';
import type { LiveSearch } from './live-search.ts';
import { aboutPlan, summaryOf } from './search-facts.ts';
import { describeForClient, type ResultFacts, type ResultTexts } from './search-result.ts';

export function viewLive(search: LiveSearch, keepsTexts: boolean): Plain {
  const { id, owner, plan, background, createdMs, title, escalatedFrom } = search.facts;
  const { ended } = search;
  return {
    ...view(id, search.state, keepsTexts ? title : null, aboutPlan(plan, escalatedFrom), background, owner),
    ...times(createdMs, search.startedMs, ended?.endedMs),
    epoch: search.epoch,
    summary: summaryOf(search),
    exit: ended?.result?.outcome.exit ?? null,
    error: ended?.error?.body ?? null,
  };
}

export function viewRecord(record: SearchRecord): Plain {
  const { id, state, title, about, background, owner, outcome } = record;
  return {
    ...view(id, state, title ?? null, about, background, owner),
    ...times(record.createdMs, record.startedMs, record.endedMs),
    epoch: record.epoch,
    summary: outcome?.summary ?? null,
    exit: outcome?.exit ?? null,
    error: outcome?.error ?? null,
  };
}

/** The part that only a single search shows. */
export function detailLive(search: LiveSearch): Plain {
  const { result } = search.ended ?? {};
  const { facts } = search;
  const shown =
    result === undefined ? null : viewResult(facts.id, facts.plan, result.texts, result.outcome, facts.escalatedFrom);
  return { result: shown, request: facts.body };
}

export function detailRecord(record: SearchRecord): Plain {
  const { request, outcome, texts, about } = record;
  const escalatedFrom = (about.escalated_from ?? null) as string | null;
  const noTexts: ResultTexts = { content: null, reasoning_content: null, refusal: null, answer: null };
  const shown =
    outcome?.exit === undefined
      ? null
      : viewResult(
          record.id,
          about as unknown as SearchPlan,
          { ...noTexts, ...texts },
          outcome as unknown as ResultFacts,
          escalatedFrom,
        );
  return { result: shown, request: request?.body ?? null };
}

type Described = Pick<SearchPlan, 'mode' | 'program' | 'policy' | 'scoring'>;

function viewResult(
  id: string,
  plan: Described,
  texts: ResultTexts,
  outcome: ResultFacts,
  escalatedFrom: string | null,
): Plain {
  const { finish_reason, score, complete, usage, escalated_to } = outcome;
  const coppice = describeForClient(id, plan, texts, outcome, escalatedFrom);
  return { ...texts, finish_reason, score, complete, escalated_to: escalated_to ?? null, usage, coppice };
}

function view(id: string, state: string, title: string | null, about: Plain, background: boolean, key: string): Plain {
  const { model, program, policy, priority, limits, mode } = about;
  return { object: 'search', id, state, title, model, mode, program, policy, background, key, priority, limits };
}

function times(created: number, started: number | undefined, ended: number | undefined): Plain {
  const whole = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms));
  return { created_ms: whole(created), started_ms: whole(started), ended_ms: whole(ended) };
}
