// The body of a chat completion as OpenAI's clients send it, and the `coppice` object. Shape only: what the fields mean
// for a search is decided in answering/plan/plan.ts. An unknown field is an error that names it; a field that asks for something a
// search cannot do is let through here and refused by name there.

import { z } from 'zod';
import type { KnobValue } from '../../base/knob.ts';
import { schemaOf } from '../../config/knob.ts';
import { efforts } from '../../config/search-limits.ts';
import { bodyName, knobOf, requestKnobs, samplingKnobs, searchKnobNames } from '../../config/vocabulary.ts';
import { parseBody } from '../http/checked-input.ts';
import { ignoredFields, ignoredMessageFields, ignoredStreamOptions } from './ignored-fields.ts';

const anything = z.unknown().optional();
/** Choices of one request; each is a path of the same tree. */
const mostAnswers = 16;

const part = z.looseObject({ type: z.string() });
const message = z.strictObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
  refusal: z.string().nullish(),
  ...ignoredMessageFields,
  // Taken as they are; body-wish.ts refuses by name those that a search cannot honour.
  tool_calls: anything,
  tool_call_id: anything,
  function_call: anything,
  audio: anything,
  annotations: anything,
  reasoning_content: anything,
  reasoning: anything,
});

/** Every setting that a client may make and that OpenAI's API has no field for. */
export const coppiceSettings = z.strictObject({
  ...(Object.fromEntries(
    searchKnobNames
      .filter((name) => knobOf(name).client === 'coppice')
      .map((name) => [bodyName(name), schemaOf(knobOf(name)).optional()]),
  ) as Record<string, z.ZodOptional<z.ZodType<KnobValue>>>),
  tests: z
    .string()
    .min(1)
    .max(65_536)
    .optional()
    .meta({ description: 'tests that judge each answer, where the operator allows it (verifier.clientTests)' }),
});

/** Servers of models take -1 for off as well as 0. */
const topK = z.preprocess((value) => (value === -1 ? 0 : value), schemaOf(samplingKnobs.topK).nullish());

const fields = {
  model: z.string().min(1),
  messages: z.array(message).min(1),
  temperature: schemaOf(samplingKnobs.temperature).nullish(),
  top_p: schemaOf(samplingKnobs.topP).nullish(),
  top_k: topK,
  min_p: schemaOf(samplingKnobs.minP).nullish(),
  seed: schemaOf(requestKnobs.seed).nullish(),
  max_tokens: schemaOf(requestKnobs.maxTokens).nullish(),
  max_completion_tokens: schemaOf(requestKnobs.maxTokens).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]).nullish(),
  logprobs: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  n: z.int().min(1).max(mostAnswers).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({
      include_usage: z.boolean().nullish(),
      include_obfuscation: z.boolean().nullish(),
      ...ignoredStreamOptions,
    })
    .nullish(),
  reasoning_effort: z.enum(['none', ...efforts]).nullish(),
  // Of vLLM, SGLang and llama-server: the switch of a template for thinking, under either of its names.
  chat_template_kwargs: z
    .strictObject({ enable_thinking: z.boolean().nullish(), thinking: z.boolean().nullish() })
    .nullish(),
  user: z.string().max(512).nullish(),
  safety_identifier: z.string().max(512).nullish(),
  prompt_cache_key: z.string().max(512).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  service_tier: z.enum(['auto', 'default']).nullish(),
  coppice: coppiceSettings.nullish(),
  ...ignoredFields,
  // Taken as they are, and refused by name where they ask for something.
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

export const chatSchema = z.strictObject(fields);
export const searchSchema = z.strictObject({
  ...fields,
  background: z.boolean().nullish(),
  title: z.string().max(200).nullish(),
});

export type ChatBody = z.output<typeof chatSchema>;
export type SearchBody = z.output<typeof searchSchema>;

export function parseChatBody(value: unknown): ChatBody {
  return parseBody(chatSchema, value);
}

export function parseSearchBody(value: unknown): SearchBody {
  return parseBody(searchSchema, value);
}
