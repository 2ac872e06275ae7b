// The body of a chat completion as OpenAI's clients send it, and the `coppice` object. Shape only: answering/plan/plan.ts decides what the
// fields mean, fields.ts what becomes of all others.

import type { KnobValue } from '@coppice/core/base';
import {
  bodyName,
  efforts,
  knobOf,
  namedParts,
  requestKnobs,
  samplingKnobs,
  schemaOf,
  searchKnobNames,
} from '@coppice/core/config';
import { z } from 'zod';
import { parseBody } from '../http/checked-input.ts';
import { forcedCall } from './answer-format.ts';
import { drawFields, drawsIn, refuseShaping } from './fields.ts';
import { record } from './unchecked.ts';

const anything = z.unknown().optional();
const mostAnswers = 16;

const part = z.looseObject({ type: z.string() });
const message = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
  refusal: z.string().nullish(),
  // body-wish.ts refuses those that a search cannot honour.
  tool_calls: anything,
  tool_call_id: anything,
  function_call: anything,
  audio: anything,
  annotations: anything,
  reasoning_content: anything,
  reasoning: anything,
});

/** Client settings that OpenAI's API has no field for. */
export const coppiceSettings = z.lazy(() =>
  z.strictObject({
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
    ...namedFields(),
  }),
);

function namedFields(): Record<string, z.ZodOptional<z.ZodType<Readonly<Record<string, KnobValue>>>>> {
  const objects = [...namedParts()].map(([part, own]) => {
    const options = Object.entries(own).map(([name, knob]) => [bodyName(name), schemaOf(knob).optional()]);
    const schema = z.strictObject(Object.fromEntries(options)).optional();
    return [part, schema.meta({ description: `options of ${part}` })];
  });
  return Object.fromEntries(objects);
}

const short = z.string().max(512).nullish();

/** Fields that all dialects share. */
export const drawnFields = {
  model: z.string().min(1),
  stream: z.boolean().nullish(),
  temperature: schemaOf(samplingKnobs.temperature).nullish(),
  top_p: schemaOf(samplingKnobs.topP).nullish(),
  // Model servers take -1 for off as well as 0.
  top_k: z.preprocess((value) => (value === -1 ? 0 : value), schemaOf(samplingKnobs.topK).nullish()),
  min_p: schemaOf(samplingKnobs.minP).nullish(),
  coppice: coppiceSettings.nullish(),
  ...drawFields,
} as const;

/** Fields that OpenAI's two APIs share. */
export const openAiFields = {
  ...drawnFields,
  seed: schemaOf(requestKnobs.seed).nullish(),
  user: short,
  safety_identifier: short,
  prompt_cache_key: short,
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
} as const;

const fields = {
  ...openAiFields,
  messages: z.array(message).min(1),
  max_tokens: schemaOf(requestKnobs.maxTokens).nullish(),
  max_completion_tokens: schemaOf(requestKnobs.maxTokens).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(4)]).nullish(),
  logprobs: z.boolean().nullish(),
  return_token_ids: z.boolean().nullish(),
  n: z.int().min(1).max(mostAnswers).nullish(),
  stream_options: z
    .object({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
    .nullish(),
  reasoning_effort: z.enum(['none', ...efforts]).nullish(),
  // vLLM, SGLang and llama-server: a template's switch for thinking, under either name.
  chat_template_kwargs: z.object({ enable_thinking: z.boolean().nullish(), thinking: z.boolean().nullish() }).nullish(),
  // OpenRouter and vLLM: whether the client reads reasoning.
  include_reasoning: z.boolean().nullish(),
  reasoning: z.object({ effort: z.enum(['none', ...efforts]).nullish(), exclude: z.boolean().nullish() }).nullish(),
  // Searched if the engine holds steps to a schema.
  response_format: anything,
  tools: anything,
  tool_choice: anything,
} as const;

export const chatSchema = z.object(fields);
export const searchSchema = z.object({
  ...fields,
  background: z.boolean().nullish(),
  title: z.string().max(200).nullish(),
});

export type ChatBody = z.output<typeof chatSchema>;

const searched = ['response_format', 'n', 'logprobs', 'stop'];

export function parseChatBody<Body extends ChatBody>(schema: z.ZodType<Body>, value: unknown): Body {
  const body = parseBody(schema, value);
  const isCall = forcedCall(body) !== undefined;
  const isDirect = (body.reasoning_effort ?? body.reasoning?.effort) === 'none';
  const by = isDirect ? 'the engine behind this model' : 'a search';
  refuseShaping(record(value), isCall ? [...searched, 'tools', 'tool_choice'] : searched, by);
  return body;
}

export function drawnIn(body: Pick<ChatBody, 'model' | 'temperature' | 'top_p' | 'top_k' | 'min_p' | 'coppice'>) {
  const { model, temperature, top_p, top_k, min_p, coppice } = body;
  return { model, temperature, top_p, top_k, min_p, coppice, ...drawsIn(body) };
}

/** Whether the client asks for reasoning: only then progress is told among it. */
export function takesReasoning({ include_reasoning: shown, reasoning, reasoning_effort: effort }: ChatBody): boolean {
  if (shown === false || reasoning?.exclude === true) return false;
  return shown === true || (reasoning ?? effort ?? null) !== null;
}
