// A search as clients see it (docs/http-api.md): what the journal holds of it, never what a process believes.

import type { SearchRecord, SearchState } from '../../journal/journal.ts';
import { describeForClient } from '../result/search-result.ts';
import type { ResultFacts, ResultTexts } from '../wire/result-json.ts';
import type { AboutJson, DetailJson, ErrorJson, ResultJson, SearchJson, SummaryJson } from '../wire/search-json.ts';
import type { LiveSearch } from './live-search.ts';
import { aboutPlan } from './search-facts.ts';

const mostShown = 200;

/** To the client whose search has just been accepted: as the journal has it, whatever has begun since. */
export function viewAccepted(search: LiveSearch): SearchJson & DetailJson {
  const { id, owner, plan, body, background, createdMs, title, escalatedFrom } = search.facts;
  return {
    ...view(id, 'queued', title, aboutPlan(plan, escalatedFrom), background, owner),
    ...times(createdMs, undefined, undefined),
    epoch: 0,
    summary: null,
    exit: null,
    verdict: null,
    answer: null,
    error: null,
    result: null,
    request: body,
  };
}

/** What the journal holds. `live`: the search itself where it runs here, for how far it has come until it has an end. */
export function viewRecord(record: SearchRecord, live?: LiveSearch): SearchJson {
  const { id, state, title, background, owner } = record;
  const { summary, exit, verdict, error } = outcomeOf(record);
  return {
    ...view(id, state, title ?? null, aboutOf(record), background, owner),
    ...times(record.createdMs, record.startedMs, record.endedMs),
    epoch: record.epoch,
    summary: summary ?? live?.summary ?? null,
    exit: exit ?? null,
    verdict: verdict ?? null,
    answer: shownAnswer(record.texts),
    error: error ?? null,
  };
}

/** For a list: an answer that nothing marks stands at the end of the text. */
function shownAnswer(texts: Partial<ResultTexts> | undefined): string | null {
  const { answer, content } = texts ?? {};
  const line = answer ?? content?.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (line === '') return null;
  return line.length <= mostShown ? line : `${line.slice(0, mostShown - 1)}…`;
}

/** The part that only a single search shows. */
export function detailRecord(record: SearchRecord): DetailJson {
  const { exit, ...outcome } = outcomeOf(record);
  const noTexts: ResultTexts = { content: null, reasoning_content: null, refusal: null, answer: null };
  const texts = { ...noTexts, ...record.texts };
  const facts = exit === undefined ? undefined : ({ ...outcome, exit } as ResultFacts);
  const result = facts === undefined ? null : viewResult(record.id, aboutOf(record), texts, facts);
  return { result, request: (record.request?.body ?? null) as DetailJson['request'] };
}

/** What the journal holds was written by this program: its shapes are those of `toAccept` and `toFinish`. */
function aboutOf({ about }: SearchRecord): AboutJson {
  return about as unknown as AboutJson;
}

interface WrittenOutcome extends Partial<ResultFacts> {
  readonly summary?: SummaryJson;
  readonly error?: ErrorJson;
}

function outcomeOf({ outcome }: SearchRecord): WrittenOutcome {
  return (outcome ?? {}) as WrittenOutcome;
}

function viewResult(id: string, about: AboutJson, texts: ResultTexts, facts: ResultFacts): ResultJson {
  const { finish_reason, verdict, score, complete, usage, escalated_to } = facts;
  const coppice = describeForClient(id, about, texts, facts, about.escalated_from ?? null);
  return { ...texts, finish_reason, verdict, score, complete, escalated_to: escalated_to ?? null, usage, coppice };
}

function view(
  id: string,
  state: SearchState,
  title: string | null,
  about: AboutJson,
  background: boolean,
  key: string,
) {
  const { model, program, policy, priority, limits, mode } = about;
  return {
    object: 'search',
    id,
    state,
    title,
    model,
    mode,
    program,
    policy,
    background,
    key,
    priority,
    limits,
  } as const;
}

function times(created: number, started: number | undefined, ended: number | undefined) {
  const whole = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms));
  return { created_ms: Math.round(created), started_ms: whole(started), ended_ms: whole(ended) };
}
