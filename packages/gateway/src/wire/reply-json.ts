// Answers of the three dialects: a chat completion, a message, a response.

import { z } from 'zod';
import { anything, each, flag, maybeNumber, maybeText, number, text, verdict, type Written } from './parts.ts';
import { coppiceJson, judgedUsage, logprobsJson, tokenLogprob, usage } from './result-json.ts';

const call = z.object({
  id: text,
  type: z.literal('function'),
  function: z.object({ name: text, arguments: text }),
});
/** Only with `return_token_ids`; null if the engine does not report them. */
const perToken = z.array(number).nullable().exactOptional();
export const completionJson = z.object({
  id: text,
  object: z.literal('chat.completion'),
  created: z.int(),
  model: text,
  system_fingerprint: text,
  prompt_token_ids: perToken,
  choices: z.array(
    z.object({
      index: z.int(),
      token_ids: perToken,
      token_mask: perToken,
      token_logprobs: perToken,
      score: maybeNumber.exactOptional(),
      message: z.object({
        role: z.literal('assistant'),
        content: maybeText,
        reasoning: text.exactOptional(),
        reasoning_content: text.exactOptional(),
        tool_calls: z.array(call).exactOptional(),
        refusal: maybeText,
      }),
      logprobs: logprobsJson.nullable(),
      finish_reason: z.enum(['stop', 'length', 'tool_calls']),
    }),
  ),
  usage: usage.extend(judgedUsage),
  coppice: coppiceJson.extend({ answers: z.object({ asked: z.int(), given: z.int() }).exactOptional() }),
});

const block = z.union([
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('thinking'), thinking: text, signature: text }),
  z.object({ type: z.literal('tool_use'), id: text, name: text, input: z.record(text, anything) }),
]);
export const messageJson = z.object({
  id: text,
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: text,
  content: z.array(block),
  stop_reason: z.enum(['end_turn', 'max_tokens', 'refusal', 'stop_sequence', 'tool_use']),
  stop_sequence: maybeText,
  usage: z.object({
    ...each(number, 'input_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'output_tokens'),
    ...judgedUsage,
  }),
  coppice: coppiceJson,
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
      z.object({
        type: z.literal('output_text'),
        text,
        annotations: z.array(z.never()),
        logprobs: z.array(tokenLogprob),
      }),
      z.object({ type: z.literal('refusal'), refusal: text }),
    ]),
  ),
});
const callItem = z.object({
  ...each(text, 'id', 'call_id', 'name', 'arguments'),
  type: z.literal('function_call'),
  status: itemStatus,
});
/** Fields of a response that have one value here. */
export const fixedFields = {
  object: 'response',
  max_tool_calls: null,
  parallel_tool_calls: false,
  tool_choice: 'none',
  presence_penalty: 0,
  frequency_penalty: 0,
  top_logprobs: 0,
  service_tier: 'default',
  safety_identifier: null,
  prompt_cache_key: null,
  truncation: 'disabled',
} as const;
type FixedSchemas = { [Name in keyof typeof fixedFields]: z.ZodLiteral<(typeof fixedFields)[Name]> };

export const responseJson = z.object({
  ...(Object.fromEntries(Object.entries(fixedFields).map(([name, value]) => [name, z.literal(value)])) as FixedSchemas),
  id: text,
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  background: flag,
  error: z.object({ code: text, message: text }).nullable(),
  incomplete_details: z.object({ reason: text }).nullable(),
  instructions: maybeText,
  max_output_tokens: maybeNumber,
  model: text,
  output: z.array(z.union([reasoningItem, messageItem, callItem])),
  previous_response_id: maybeText,
  reasoning: z.object({ effort: maybeText, summary: maybeText }),
  store: flag,
  temperature: number,
  text: z.object({ format: anything }),
  tools: z.array(z.never()),
  top_p: number,
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
  coppice: coppiceJson.nullable(),
});
export type ResponseStatus = Written<typeof responseJson>['status'];

export const countJson = z.object({ input_tokens: z.int(), coppice: z.object({ estimate: flag }) });

export const verdictHeader = 'x-coppice-verdict';
export const searchHeader = 'x-coppice-search';
/** Ignored fields of the body, with commas between them. */
export const ignoredHeader = 'x-coppice-ignored';

export const answerHeaders = { [verdictHeader]: verdict, [searchHeader]: text, [ignoredHeader]: text };
