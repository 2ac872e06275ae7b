// A search as clients and the page read it (docs/http-api.md). A value that is missing, because texts are not kept or a search has not
// got so far, is null.

import { searchStates } from '@coppice/core/journal';
import { z } from 'zod';
import { exit, flag, maybeNumber, maybeText, number, text, verdict, type Written, why } from './parts.ts';
import { coppiceJson, resultFacts, resultTexts } from './result-json.ts';

/** The session when this turn was accepted; its name is a field of the search. */
const sessionJson = z.object({
  since_ms: number,
  turns: z.int(),
  open: z.int().exactOptional(),
  seconds: number,
  tokens: number,
  money: number,
  token_budget: number.exactOptional(),
  money_budget: number.exactOptional(),
});
export type SessionJson = Written<typeof sessionJson>;

const summary = z.object({
  sequence: z.int(),
  nodes: number,
  rollouts: number,
  open_strands: number,
  width: z.object({ primary: number, speculative: number }),
  why,
  best_score: maybeNumber,
  tokens: number,
});
export type SummaryJson = Written<typeof summary>;

export const errorJson = z.object({ message: text, type: text, param: maybeText, code: text });
export type ErrorJson = Written<typeof errorJson>;

export const searchJson = z.object({
  object: z.literal('search'),
  id: text,
  state: z.enum(searchStates),
  title: maybeText,
  model: text,
  mode: z.enum(['search', 'direct']),
  program: text,
  policy: text,
  background: flag,
  key: text,
  /** The client's name of the session to which it belongs. */
  session: maybeText,
  priority: number,
  created_ms: number,
  started_ms: maybeNumber,
  ended_ms: maybeNumber,
  limits: z.object({ rollouts: number, threshold: maybeNumber, token_budget: maybeNumber, deadline_ms: maybeNumber }),
  epoch: z.int(),
  summary: summary.nullable(),
  exit: exit.nullable(),
  verdict: verdict.nullable(),
  confidence: maybeNumber,
  /** The answer, or without a marked one the last line of its text, at most 200 characters; null if texts are not kept. */
  answer: maybeText,
  error: errorJson.nullable(),
});
export type SearchJson = Written<typeof searchJson>;

/** The request as the journal keeps it beside the texts. */
export interface AboutJson
  extends Pick<SearchJson, 'model' | 'mode' | 'program' | 'policy' | 'priority' | 'limits'>,
    Pick<Written<typeof coppiceJson>, 'escalated_from'> {
  readonly weights?: string;
  readonly session?: SessionJson;
  readonly scoring: string;
}

const resultJson = z.object({
  ...resultTexts.shape,
  ...resultFacts.pick({
    finish_reason: true,
    verdict: true,
    score: true,
    confidence: true,
    complete: true,
    usage: true,
  }).shape,
  escalated_to: maybeText,
  coppice: coppiceJson,
});
export type ResultJson = Written<typeof resultJson>;

const detail = z.object({
  result: resultJson.nullable(),
  request: z.looseObject({ messages: z.array(z.looseObject({ role: text })).exactOptional() }).nullable(),
});
export type DetailJson = Written<typeof detail>;

export const wholeSearchJson = z.object({ ...searchJson.shape, ...detail.shape });
export type WholeSearchJson = Written<typeof wholeSearchJson>;
