// A search as clients and the page read it (docs/http-api.md): what `/v1/searches` writes and nothing else. Types only, in
// the field names of the wire. What may be missing, because texts are not kept or a search has not got so far, is null.

import type { SearchState } from '../../journal/journal.ts';
import type { Evidence, Exit } from '../../log/end.ts';
import type { Verdict } from '../../log/verdict.ts';
import type { ClientResult, ResultFacts, ResultTexts } from './result-json.ts';

export interface LimitsJson {
  readonly rollouts: number;
  readonly threshold: number;
  readonly token_budget: number | null;
  readonly deadline_ms: number | null;
}

/** What was asked for, as the journal keeps it beside the texts. */
export interface AboutJson {
  readonly model: string;
  readonly mode: 'search' | 'direct';
  readonly program: string;
  readonly policy: string;
  /** Kinds of calibrated exits that it has; records of before there were any lack it. */
  readonly calibrated?: readonly string[];
  readonly scoring: string;
  readonly priority: number;
  readonly limits: LimitsJson;
  readonly escalated_from: string | null;
}

export interface SummaryJson {
  readonly sequence: number;
  readonly nodes: number;
  readonly rollouts: number;
  readonly open_strands: number;
  readonly width: { readonly primary: number; readonly speculative: number };
  /** Why it has this width, in the scheduler's numbers. */
  readonly why: Evidence | null;
  readonly best_score: number | null;
  readonly tokens: number;
}

export interface ErrorJson {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string;
}

export interface SearchJson extends Omit<AboutJson, 'scoring' | 'calibrated' | 'escalated_from'> {
  readonly object: 'search';
  readonly id: string;
  readonly state: SearchState;
  readonly title: string | null;
  readonly background: boolean;
  /** Name of the API key that asked. */
  readonly key: string;
  readonly created_ms: number;
  readonly started_ms: number | null;
  readonly ended_ms: number | null;
  readonly epoch: number;
  readonly summary: SummaryJson | null;
  readonly exit: Exit | null;
  /** What to think of its answer; null before the end. */
  readonly verdict: Verdict | null;
  /** Its answer, or where nothing marks one the last line of its text, at most 200 characters; null where texts are not kept. */
  readonly answer: string | null;
  readonly error: ErrorJson | null;
}

/** The `coppice` object of an answer. */
export interface CoppiceJson
  extends Pick<
    ResultFacts,
    | 'exit'
    | 'verdict'
    | 'verdict_text'
    | 'score'
    | 'support'
    | 'complete'
    | 'rollouts'
    | 'nodes'
    | 'queue_ms'
    | 'search_ms'
    | 'tokens'
  > {
  readonly search: string;
  readonly answer: string | null;
  readonly scoring?: string;
  readonly program?: string;
  readonly policy?: string;
  readonly calibrated?: readonly string[];
  readonly passed_through?: true;
  readonly escalated_from: string | null;
}

export interface ResultJson
  extends ResultTexts,
    Pick<ClientResult['outcome'], 'finish_reason' | 'verdict' | 'score' | 'complete' | 'usage'> {
  readonly escalated_to: string | null;
  readonly coppice: CoppiceJson;
}

/** What only a single search shows. */
export interface DetailJson {
  readonly result: ResultJson | null;
  /** The body as the client sent it. */
  readonly request: { readonly messages?: readonly { readonly role: string; readonly content?: unknown }[] } | null;
}

export type WholeSearchJson = SearchJson & DetailJson;
