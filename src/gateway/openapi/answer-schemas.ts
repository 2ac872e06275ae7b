// What the server answers, as schemas: complete, so that a field which is not here is not told. Where the shapes are typed
// (`wire/`) the schemas are of these types.

import { z } from 'zod';
import { searchStates } from '../../journal/journal.ts';
import type { ResultJson, SearchJson } from '../wire/search-json.ts';
import type { UsageJson } from '../wire/usage-json.ts';
import {
  anything,
  coppice,
  deleted,
  error,
  exit,
  flag,
  list,
  maybeNumber,
  maybeText,
  number,
  pages,
  text,
  usage,
  verdict,
  why,
  width,
} from './parts.ts';
import { completion, message, response } from './replies.ts';
import { overview } from './server-state.ts';

const listed = {
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
  priority: number,
  created_ms: number,
  started_ms: maybeNumber,
  ended_ms: maybeNumber,
  limits: z.object({
    rollouts: number,
    threshold: number,
    token_budget: maybeNumber,
    deadline_ms: maybeNumber,
  }),
  epoch: z.int(),
  summary: z
    .object({
      sequence: z.int(),
      nodes: number,
      rollouts: number,
      open_strands: number,
      width,
      why,
      best_score: maybeNumber,
      tokens: number,
    })
    .nullable(),
  exit: exit.nullable(),
  verdict: verdict.nullable(),
  answer: maybeText,
  error: error.nullable(),
};
const search: z.ZodType<SearchJson> = z.object(listed);
const result: z.ZodType<ResultJson> = z.object({
  content: maybeText,
  reasoning_content: maybeText,
  refusal: maybeText,
  answer: maybeText,
  finish_reason: z.enum(['stop', 'length']),
  verdict,
  score: maybeNumber,
  complete: flag,
  usage,
  escalated_to: maybeText,
  coppice,
});
const wholeSearch = z.object({ ...listed, request: anything.nullable(), result: result.nullable() });

const model = z.object({
  id: text,
  object: z.literal('model'),
  created: z.int(),
  owned_by: text,
  coppice: z.object({ engine: text, verifier: text, program: text, policy: text, scoring: text }),
});
const example = z.object({ title: text, question: text, model: text.exactOptional() });
const file = z.object({
  id: text,
  object: z.literal('file'),
  bytes: z.int(),
  created_at: z.int(),
  expires_at: z.int().nullable(),
  filename: text,
  purpose: text,
  status: text,
  status_details: z.null(),
});
const seconds = z.int().nullable();
const batch = z.object({
  id: text,
  object: z.literal('batch'),
  endpoint: text,
  errors: list(z.object({ code: text, message: text, line: z.int().nullable(), param: maybeText })).nullable(),
  input_file_id: text,
  completion_window: text,
  status: text,
  output_file_id: maybeText,
  error_file_id: maybeText,
  created_at: seconds,
  in_progress_at: seconds,
  expires_at: seconds,
  finalizing_at: seconds,
  completed_at: seconds,
  failed_at: seconds,
  expired_at: seconds,
  cancelling_at: seconds,
  cancelled_at: seconds,
  request_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
  metadata: z.record(text, text).nullable(),
});

const share = z.object({ used: number, limit: maybeNumber });
const usageOfKeys: z.ZodType<UsageJson> = z.object({
  object: z.literal('list'),
  since_ms: number,
  data: z.array(
    z.object({
      object: z.literal('usage'),
      key: text,
      requests: number,
      refused: number,
      prompt_tokens: number,
      completion_tokens: number,
      verifier_tokens: number,
      quota: z.object({ window_ms: number, ends_ms: number, requests: share, tokens: share }).nullable(),
    }),
  ),
});

const inputItem = z.looseObject({ id: text, type: text.exactOptional() });
const ready = z.object({
  ready: flag,
  models: z.array(z.object({ name: text, healthy: flag })),
  journal: z.object({ healthy: flag }),
});

/** By method and path; what an engine's own endpoint answers stands in no schema of ours. */
export const answers: Readonly<Record<string, z.ZodType>> = {
  'POST /v1/chat/completions': completion,
  'POST /v1/messages': message,
  'POST /v1/messages/count_tokens': z.object({ input_tokens: z.int(), coppice: z.object({ estimate: flag }) }),
  'POST /v1/responses': response,
  'GET /v1/responses/{id}': response,
  'POST /v1/responses/{id}/cancel': response,
  'DELETE /v1/responses/{id}': deleted('response'),
  'GET /v1/responses/{id}/input_items': list(inputItem, pages),
  'POST /v1/files': file,
  'GET /v1/files': list(file, pages),
  'GET /v1/files/{id}': file,
  'DELETE /v1/files/{id}': deleted('file'),
  'POST /v1/batches': batch,
  'GET /v1/batches': list(batch, pages),
  'GET /v1/batches/{id}': batch,
  'POST /v1/batches/{id}/cancel': batch,
  'GET /v1/models': list(model),
  'GET /v1/models/{name}': model,
  'GET /v1/examples': list(example),
  'POST /v1/searches': wholeSearch,
  'GET /v1/searches': list(search, { has_more: flag }),
  'GET /v1/searches/{id}': wholeSearch,
  'DELETE /v1/searches/{id}': wholeSearch,
  'POST /v1/searches/{id}/cancel': wholeSearch,
  'GET /v1/overview': overview,
  'GET /v1/usage': usageOfKeys,
  'GET /health': z.object({ status: z.literal('ok') }),
  'GET /ready': ready,
};
