// Schema of a chat completion's body as OpenAI's clients send it, with the `coppice` object. It checks shapes only:
// answering/plan/plan.ts decides what the fields mean, and fields.ts handles all others.

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
import { each } from '../wire/parts.ts';
import { drawFields, drawsIn, refuseShaping } from './fields.ts';
import { anything, partWith, record } from './unchecked.ts';

const mostAnswers = 16;
/** OpenAI's clients send up to four. */
export const mostStops = 16;

const part = partWith('text', 'refusal', 'thinking', 'cache_control');
const message = z.looseObject({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
  content: z.union([z.string(), z.array(part)]).nullish(),
  refusal: z.string().nullish(),
  // body-wish.ts refuses those that a search cannot honour.
  ...each(anything, 'tool_calls', 'tool_call_id', 'function_call', 'audio', 'annotations'),
  ...each(anything, 'reasoning_content', 'reasoning'),
});

export const sessionName = z.string().min(1).max(512);

/** The conversation to which a request belongs. Its budgets cover all turns, later ones without a budget included. */
export const sessionSchema = z.union([
  sessionName,
  z.strictObject({
    id: sessionName,
    token_budget: schemaOf(requestKnobs.tokenBudget).optional(),
    money_budget: schemaOf(requestKnobs.moneyBudget).optional(),
  }),
]);

/** Client settings that OpenAI's API has no field for. Made at the first request, when all programs and rules are registered; once: 2 ms. */
export const coppiceSettings = z.lazy(() => {
  madeSettings ??= makeSettings();
  return madeSettings;
});
let madeSettings: ReturnType<typeof makeSettings> | undefined;

function makeSettings() {
  const names = searchKnobNames.filter((name) => knobOf(name).client === 'coppice');
  const fields = names.map((name) => [bodyName(name), schemaOf(knobOf(name)).optional()]);
  const tests = 'tests that judge each answer, where the operator allows it (verifier.clientTests)';
  return z.strictObject({
    ...(Object.fromEntries(fields) as Record<string, z.ZodOptional<z.ZodType<KnobValue>>>),
    tests: z.string().min(1).max(65_536).optional().meta({ description: tests }),
    session: sessionSchema
      .optional()
      .meta({ description: 'the conversation that this is a turn of (docs/http-api.md)' }),
    ...namedFields(),
  });
}

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
  // Model servers take both -1 and 0 for off.
  top_k: z.preprocess((value) => (value === -1 ? 0 : value), schemaOf(samplingKnobs.topK).nullish()),
  min_p: schemaOf(samplingKnobs.minP).nullish(),
  coppice: coppiceSettings.nullish(),
  ...drawFields,
} as const;

/** Clients of llama.cpp and LM Studio send -1 for a value that is not set. */
function unsetByMinusOne(value: unknown): unknown {
  return value === -1 ? undefined : value;
}

/** OpenAI takes seeds of 64 bits; a search keeps the low 32. */
function seedOf(value: unknown): unknown {
  return Number.isInteger(value) ? Number(BigInt.asUintN(32, BigInt(value as number))) : value;
}

/** Fields that OpenAI's two APIs share. */
export const openAiFields = {
  ...drawnFields,
  seed: z.preprocess((value) => seedOf(unsetByMinusOne(value)), schemaOf(requestKnobs.seed).nullish()),
  user: short,
  safety_identifier: short,
  prompt_cache_key: short,
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
} as const;

const fields = {
  ...openAiFields,
  messages: z.array(message).min(1),
  max_tokens: z.preprocess(unsetByMinusOne, schemaOf(requestKnobs.maxTokens).nullish()),
  max_completion_tokens: schemaOf(requestKnobs.maxTokens).nullish(),
  stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(mostStops)]).nullish(),
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
  // Searched if the engine can hold steps to a schema.
  ...each(anything, 'response_format', 'tools', 'tool_choice', 'parallel_tool_calls'),
} as const;

export const chatSchema = z.object(fields);
export const searchSchema = z.object({
  ...fields,
  background: z.boolean().nullish(),
  title: z.string().max(200).nullish(),
});

export type ChatBody = z.output<typeof chatSchema>;

const searched = ['response_format', 'n', 'logprobs', 'stop', 'tools', 'tool_choice'];

export function parseChatBody<Body extends ChatBody>(schema: z.ZodType<Body>, value: unknown): Body {
  const body = parseBody(schema, value);
  const isDirect = (body.reasoning_effort ?? body.reasoning?.effort) === 'none';
  const by = isDirect ? 'the engine behind this model' : 'a search';
  refuseShaping(record(value), searched, by);
  return body;
}

export function drawnIn(body: Pick<ChatBody, 'model' | 'temperature' | 'top_p' | 'top_k' | 'min_p' | 'coppice'>) {
  const { model, temperature, top_p, top_k, min_p, coppice } = body;
  return { model, temperature, top_p, top_k, min_p, coppice, ...drawsIn(body) };
}

/** True if the client asks for reasoning; only then the stream shows progress in it. */
export function takesReasoning({ include_reasoning: shown, reasoning, reasoning_effort: effort }: ChatBody): boolean {
  if (shown === false || reasoning?.exclude === true) return false;
  return shown === true || (reasoning ?? effort ?? null) !== null;
}
