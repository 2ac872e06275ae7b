// Shows a search to clients (docs/http-api.md), from its record in the journal and never from what a process believes.

import type { SearchRecord } from '@coppice/core/journal';
import { describeForClient } from '../result/search-result.ts';
import { outcomeIn } from '../result/told-end.ts';
import type { ResultFacts, ResultTexts } from '../wire/result-json.ts';
import type { AboutJson, DetailJson, ResultJson, SearchJson, WholeSearchJson } from '../wire/search-json.ts';
import type { LiveSearch } from './live-search.ts';
import { toAccept } from './search-facts.ts';

const mostShown = 200;

export function viewAccepted(search: LiveSearch): WholeSearchJson {
  const unstarted = { startedMs: undefined, endedMs: undefined, outcome: undefined, texts: undefined };
  return viewWhole({ ...toAccept(search), ...unstarted, state: 'queued', epoch: 0, runs: 0, cancelRequested: false });
}

export function viewWhole(record: SearchRecord, live?: LiveSearch): WholeSearchJson {
  return { ...viewRecord(record, live), ...detailRecord(record) };
}

/** `live`: the search if it runs here; gives its progress until it has an end. */
export function viewRecord(record: SearchRecord, live?: LiveSearch): SearchJson {
  const { id, state, title, background, owner, createdMs, startedMs, endedMs } = record;
  const { model, mode, program, policy, priority, limits } = aboutOf(record);
  const { summary, exit, verdict, confidence, error } = outcomeIn(record);
  const wholeMs = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms));
  return {
    object: 'search',
    id,
    state,
    title: title ?? null,
    model,
    mode,
    program,
    policy,
    background,
    key: owner,
    session: record.session ?? null,
    priority,
    created_ms: Math.round(createdMs),
    started_ms: wholeMs(startedMs),
    ended_ms: wholeMs(endedMs),
    limits,
    epoch: record.epoch,
    summary: summary ?? live?.summary ?? null,
    exit: exit ?? null,
    verdict: verdict ?? null,
    confidence: confidence ?? null,
    answer: shownAnswer(record.texts),
    error: error ?? null,
  };
}

/** Without a marked answer, a list shows the last line of the text. */
function shownAnswer(texts: Partial<ResultTexts> | undefined): string | null {
  const { answer, content } = texts ?? {};
  const line = answer ?? content?.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (line === '') return null;
  return line.length <= mostShown ? line : `${line.slice(0, mostShown - 1)}…`;
}

function detailRecord(record: SearchRecord): DetailJson {
  const { exit, summary: _, error: __, ...outcome } = outcomeIn(record);
  const noTexts: ResultTexts = { content: null, reasoning_content: null, refusal: null, answer: null };
  const texts = { ...noTexts, ...record.texts };
  const facts = exit === undefined ? undefined : ({ ...outcome, exit } as ResultFacts);
  const result = facts === undefined ? null : viewResult(record.id, aboutOf(record), texts, facts);
  return { result, request: (record.request?.body ?? null) as DetailJson['request'] };
}

function aboutOf({ about }: SearchRecord): AboutJson {
  return about as unknown as AboutJson;
}

function viewResult(id: string, about: AboutJson, texts: ResultTexts, facts: ResultFacts): ResultJson {
  const { finish_reason, verdict, score, confidence, complete, usage, escalated_to } = facts;
  const coppice = describeForClient(id, about, texts, facts, about.escalated_from ?? null);
  const judged = { verdict, score, confidence, complete };
  return { ...texts, finish_reason, ...judged, escalated_to: escalated_to ?? null, usage, coppice };
}
