// The body of a chat completion as OpenAI's clients send it, and the `coppice` object. Shape only: what the fields mean
// for a search is decided in plan.ts. An unknown field is an error that names it; a field that asks for something a
// search cannot do is let through here and refused by name there.

import { z } from 'zod';
import { efforts } from '../../config/search-limits.ts';
import { policyNames } from '../../policy/policy.ts';
import { choices } from '../../program/choice.ts';
import { programNames } from '../../program/registry/programs.ts';
import { type ApiErrorCode, refuse } from '../http/api-error.ts';

const futileChoices = ['answer', 'refuse', 'escalate'] as const;
const reasoningChoices = ['separate', 'inline'] as const;

const part = z.looseObject({ type: z.string() });
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
});

const coppice = z.strictObject({
  program: z.enum(programNames).optional(),
  policy: z.enum(policyNames).optional(),
  rollouts: z.int().min(1).optional(),
  threshold: z.number().min(0).max(1).optional(),
  choose: z.enum(choices).optional(),
  token_budget: z.int().min(1).optional(),
  deadline_ms: z.int().min(1).optional(),
  priority: z.int().min(-100).max(100).optional(),
  on_futile: z.enum(futileChoices).optional(),
  reasoning: z.enum(reasoningChoices).optional(),
});

const optionalNumber = (low: number, high: number) => z.number().min(low).max(high).nullish();
const anything = z.unknown().optional();

const fields = {
  model: z.string().min(1),
  messages: z.array(message).min(1),
  temperature: optionalNumber(0, 2),
  top_p: optionalNumber(0, 1),
  top_k: z.int().min(-1).max(100_000).nullish(),
  min_p: optionalNumber(0, 1),
  seed: z.int().nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
    .nullish(),
  reasoning_effort: z.enum(['none', ...efforts]).nullish(),
  user: z.string().max(512).nullish(),
  safety_identifier: z.string().max(512).nullish(),
  prompt_cache_key: z.string().max(512).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  service_tier: z.enum(['auto', 'default']).nullish(),
  coppice: coppice.nullish(),
  // Taken as they are, and refused by name where they ask for something.
  n: anything,
  logprobs: anything,
  top_logprobs: anything,
  logit_bias: anything,
  frequency_penalty: anything,
  presence_penalty: anything,
  response_format: anything,
  tools: anything,
  tool_choice: anything,
  parallel_tool_calls: anything,
  functions: anything,
  function_call: anything,
  modalities: anything,
  audio: anything,
  prediction: anything,
  store: anything,
  verbosity: anything,
  web_search_options: anything,
} as const;

const chatSchema = z.strictObject(fields);
const searchSchema = z.strictObject({
  ...fields,
  background: z.boolean().nullish(),
  title: z.string().max(200).nullish(),
});

export type ChatBody = z.output<typeof chatSchema>;
export type SearchBody = z.output<typeof searchSchema>;

export function parseChatBody(value: unknown): ChatBody {
  return parse(chatSchema, value);
}

export function parseSearchBody(value: unknown): SearchBody {
  return parse(searchSchema, value);
}

function parse<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const name = [...path, issue.keys[0] ?? ''].join('.');
    return refuse('unknown_parameter', `'${name}' is not a known parameter`, name);
  }
  const code: ApiErrorCode = 'invalid_value';
  const where = path.length === 0 ? 'the body' : `'${path.join('.')}'`;
  return refuse(code, `${where}: ${issue.message}`, path.length === 0 ? undefined : path.join('.'));
}
