// What the server answers, as schemas: complete, so that a field which is not here is not told. Where the shapes are typed
// (`wire/`) the schemas are of these types.

import { z } from 'zod';
import { searchStates } from '../../journal/journal.ts';
import { exitKinds } from '../../log/end.ts';
import { verdicts } from '../../log/verdict.ts';
import type { LogprobsJson } from '../wire/logprobs-json.ts';
import type { OverviewJson } from '../wire/overview-json.ts';
import type { Usage } from '../wire/result-json.ts';
import type { ErrorJson, ResultJson, SearchJson } from '../wire/search-json.ts';
import type { UsageJson } from '../wire/usage-json.ts';

const text = z.string();
const maybeText = text.nullable();
const number = z.number();
const maybeNumber = number.nullable();
const flag = z.boolean();
const anything = z.record(text, z.unknown());

const list = <Item extends z.ZodType>(data: Item, more: z.ZodRawShape = {}) =>
  z.object({ object: z.literal('list'), data: z.array(data), ...more });
const pages = { first_id: maybeText, last_id: maybeText, has_more: flag };
const deleted = (object: string) => z.object({ id: text, object: z.literal(object), deleted: z.literal(true) });

const evidence = z.record(text, z.union([number, text]));
const exit = z.object({ kind: z.enum(exitKinds), rule: text, evidence });
const verdict = z.enum(verdicts);
const width = z.object({ primary: number, speculative: number });
const why = evidence.nullable();
const error: z.ZodType<ErrorJson> = z.object({ message: text, type: text, param: maybeText, code: text });

const usage: z.ZodType<Usage> = z.object({
  prompt_tokens: number,
  completion_tokens: number,
  total_tokens: number,
  prompt_tokens_details: z.object({ cached_tokens: number }),
  completion_tokens_details: z.object({ reasoning_tokens: number }),
});

const effort = {
  exit,
  verdict,
  verdict_text: text,
  score: maybeNumber,
  support: maybeNumber,
  complete: flag,
  rollouts: number,
  nodes: number,
  queue_ms: maybeNumber,
  search_ms: maybeNumber,
  tokens: z.record(text, number),
};
const coppiceFields = {
  search: text,
  answer: maybeText,
  ...effort,
  scoring: text.exactOptional(),
  program: text.exactOptional(),
  policy: text.exactOptional(),
  calibrated: z.array(text).exactOptional(),
  passed_through: z.literal(true).exactOptional(),
  escalated_from: maybeText,
};
const coppice = z.object(coppiceFields);

const token = z.object({ token: text, logprob: number, bytes: z.array(z.int()), top_logprobs: z.array(z.never()) });
const logprobs: z.ZodType<LogprobsJson> = z.object({
  content: z.array(token),
  reasoning_content: z.array(token).exactOptional(),
  refusal: z.null(),
});

const call = z.object({
  id: text,
  type: z.literal('function'),
  function: z.object({ name: text, arguments: text }),
});
const completion = z.object({
  id: text,
  object: z.literal('chat.completion'),
  created: z.int(),
  model: text,
  system_fingerprint: text,
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: maybeText,
        reasoning_content: text.exactOptional(),
        tool_calls: z.array(call).exactOptional(),
        refusal: maybeText,
      }),
      logprobs: logprobs.nullable(),
      finish_reason: z.enum(['stop', 'length', 'tool_calls']),
    }),
  ),
  usage,
  coppice: z.object({ ...coppiceFields, answers: z.object({ asked: z.int(), given: z.int() }).exactOptional() }),
});

const block = z.union([
  z.object({ type: z.literal('text'), text, citations: z.null() }),
  z.object({ type: z.literal('thinking'), thinking: text, signature: text }),
]);
const message = z.object({
  id: text,
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: text,
  content: z.array(block),
  stop_reason: z.enum(['end_turn', 'max_tokens', 'refusal']),
  stop_sequence: z.null(),
  usage: z.object({
    input_tokens: number,
    cache_creation_input_tokens: number,
    cache_read_input_tokens: number,
    output_tokens: number,
  }),
  coppice,
});

const itemStatus = z.enum(['in_progress', 'completed', 'incomplete']);
const reasoningItem = z.object({
  id: text,
  type: z.literal('reasoning'),
  status: itemStatus,
  summary: z.array(z.object({ type: z.literal('summary_text'), text })),
  content: z.array(z.object({ type: z.literal('reasoning_text'), text })),
});
const messageItem = z.object({
  id: text,
  type: z.literal('message'),
  role: z.literal('assistant'),
  status: itemStatus,
  content: z.array(
    z.union([
      z.object({ type: z.literal('output_text'), text, annotations: z.array(z.never()), logprobs: z.array(token) }),
      z.object({ type: z.literal('refusal'), refusal: text }),
    ]),
  ),
});
const response = z.object({
  id: text,
  object: z.literal('response'),
  created_at: z.int(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  background: flag,
  error: z.object({ code: text, message: text }).nullable(),
  incomplete_details: z.object({ reason: text }).nullable(),
  instructions: maybeText,
  max_output_tokens: maybeNumber,
  model: text,
  output: z.array(z.union([reasoningItem, messageItem])),
  parallel_tool_calls: flag,
  previous_response_id: maybeText,
  reasoning: z.object({ effort: maybeText, summary: maybeText }),
  store: flag,
  temperature: number,
  text: z.object({ format: anything }),
  tool_choice: text,
  tools: z.array(z.never()),
  top_p: number,
  truncation: text,
  usage: z
    .object({
      input_tokens: number,
      input_tokens_details: z.object({ cached_tokens: number }),
      output_tokens: number,
      output_tokens_details: z.object({ reasoning_tokens: number }),
      total_tokens: number,
    })
    .nullable(),
  user: maybeText,
  metadata: z.record(text, text),
  coppice: coppice.nullable(),
});

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

const serverCost = z.object({ in_flight: number, alone_ms: number, each_more_ms: number });
const overview: z.ZodType<OverviewJson> = z.object({
  at_ms: number,
  uptime_ms: number,
  version: text,
  models: z.array(
    z.object({
      name: text,
      engine: text,
      healthy: flag,
      engine_healthy: flag,
      verifier: z.object({ kind: text, healthy: flag, waiting: number, score_ms: maybeNumber }).nullable(),
      budget: number,
      open_strands: number,
      running_sequences: number,
      waiting_sequences: number,
      step_ms: maybeNumber,
      expected_wait_ms: number,
      cost: z.object({ engine: serverCost, verifier: serverCost.nullable(), children_per_strand: number }).nullable(),
    }),
  ),
  journal: z.object({
    kind: text,
    healthy: flag,
    unwritten: number,
    oldest_unwritten_ms: number,
    failures: number,
    bytes: number,
  }),
  budget: z.object({ total: number, used: number }),
  nodes: z.array(
    z.object({
      name: text,
      version: text,
      models: z.array(text),
      here: flag,
      silent_ms: number,
      healthy: flag,
      budget: z.object({ total: number, used: number }),
      running: number,
    }),
  ),
  queue: z.object({ waiting: number, limit: number }),
  searches: z.object({
    running: number,
    listed: z.array(
      z.object({
        id: text,
        title: maybeText,
        model: text,
        state: z.enum(searchStates),
        primary: number,
        speculative: number,
        why,
        open_strands: number,
        nodes: number,
        rollouts: number,
        rollout_limit: number,
        best_score: maybeNumber,
        threshold: number,
        age_ms: number,
      }),
    ),
  }),
  exits: z.record(text, number),
  tokens: z.record(text, number),
  latency: z.object({ p50_ms: number, p99_ms: number, count: number }).nullable(),
  refused: number,
  event_loop_ms: number,
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
