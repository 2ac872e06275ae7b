// The body of a response as OpenAI's clients send it, and the chat that it asks for. Shape only: what cannot be honoured is
// refused by name, here or where every chat is planned. Never drops a field that asks for something.

import { z } from 'zod';
import { schemaOf } from '../../../config/knob.ts';
import { efforts } from '../../../config/search-limits.ts';
import { requestKnobs, samplingKnobs } from '../../../config/vocabulary.ts';
import { refuse } from '../../http/api-error.ts';
import { parseBody } from '../../http/checked-input.ts';
import { type ChatBody, coppiceSettings } from '../chat-body.ts';
import { ignoredFields, ignoredStreamOptions } from '../ignored-fields.ts';
import { record, some } from '../unchecked.ts';

const anything = z.unknown().optional();

const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']).optional(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).optional(),
  id: z.string().nullish(),
});

export const responseSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  temperature: schemaOf(samplingKnobs.temperature).nullish(),
  top_p: schemaOf(samplingKnobs.topP).nullish(),
  seed: schemaOf(requestKnobs.seed).nullish(),
  max_output_tokens: schemaOf(requestKnobs.maxTokens).nullish(),
  reasoning: z
    .strictObject({
      effort: z.enum(['none', ...efforts]).nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    })
    .nullish(),
  user: z.string().max(512).nullish(),
  safety_identifier: z.string().max(512).nullish(),
  prompt_cache_key: z.string().max(512).nullish(),
  service_tier: z.enum(['auto', 'default']).nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().nullish(), ...ignoredStreamOptions }).nullish(),
  coppice: coppiceSettings.nullish(),
  ...ignoredFields,
  // Taken as they are, and refused by name where they ask for something.
  text: anything,
  include: anything,
  tools: anything,
  tool_choice: anything,
  parallel_tool_calls: anything,
  max_tool_calls: anything,
  truncation: anything,
  top_logprobs: anything,
  conversation: anything,
  prompt: anything,
});

export type ResponseBody = z.output<typeof responseSchema>;
export type InputItem = Exclude<ResponseBody['input'], string>[number];
type ChatMessage = ChatBody['messages'][number];

export function parseResponseBody(value: unknown): ResponseBody {
  const body = parseBody(responseSchema, value);
  for (const [name, isNothing] of Object.entries(asksNothing)) {
    const asked = (body as Readonly<Record<string, unknown>>)[name];
    if (asked === undefined || asked === null || isNothing(asked)) continue;
    refuse('unsupported_parameter', `'${name}' cannot be honoured by a search`, name);
  }
  return body;
}

/** The one thing that can be included. */
const includesLogprobs = 'message.output_text.logprobs';

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

/** Whether a field asks for nothing. */
const asksNothing: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: asksForFormatAlone,
  include: (value) => Array.isArray(value) && value.every((each) => each === includesLogprobs),
  tools: isEmpty,
  tool_choice: (value) => value === 'none' || value === 'auto',
  parallel_tool_calls: (value) => typeof value === 'boolean',
  max_tool_calls: () => false,
  truncation: (value) => value === 'disabled',
  top_logprobs: (value) => value === 0,
  conversation: () => false,
  prompt: () => false,
};

function asksForFormatAlone(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { format, verbosity, ...rest } = value as Readonly<Record<string, unknown>>;
  // Whether the answer can have the format that is asked for is seen where the chat is planned.
  return (
    (typeof format === 'object' || format === undefined) &&
    (verbosity ?? 'medium') === 'medium' &&
    Object.keys(rest).length === 0
  );
}

export function itemsOf({ input }: ResponseBody): readonly InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
}

/** As it is asked for, and as the answer says it again. */
export function formatOf({ text }: ResponseBody): Readonly<Record<string, unknown>> | undefined {
  return (
    (text as { readonly format?: Readonly<Record<string, unknown>> | null } | null | undefined)?.format ?? undefined
  );
}

/** The chat that is searched: instructions, what was said before, and the input. */
export function chatOf(body: ResponseBody, said: readonly ChatMessage[]): ChatBody {
  const { model, instructions, temperature, top_p, seed, max_output_tokens, reasoning, coppice, metadata, user } = body;
  const system: ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  return {
    model,
    messages: [...system, ...said],
    temperature,
    top_p,
    seed,
    coppice,
    metadata,
    user,
    ...(Array.isArray(body.include) && body.include.length > 0 ? { logprobs: true } : {}),
    response_format: formatOf(body),
    max_completion_tokens: max_output_tokens,
    reasoning_effort: reasoning?.effort,
  } as ChatBody;
}

/** Parts of a message that are text. */
const textTypes: readonly string[] = ['input_text', 'output_text', 'text', 'refusal'];

const itemTypes: readonly unknown[] = ['message', 'reasoning', 'item_reference', undefined];

/** Whether an item of an input is more than a search takes. Reads what nothing has checked yet. */
export function isBeyondSearch(value: unknown): boolean {
  const { type, content } = record(value);
  if (!itemTypes.includes(type)) return true;
  return type !== 'reasoning' && some(content, (part) => isOtherPart(record(part).type));
}

function isOtherPart(type: unknown): boolean {
  return typeof type === 'string' && !textTypes.includes(type);
}

/** A message of the input; reasoning of former turns is taken and not sent again, as is usual. */
export function messageOf(
  { type = 'message', role, content, ...rest }: InputItem,
  at: number,
): ChatMessage | undefined {
  const where = `input.${at}`;
  if (type === 'reasoning') return undefined;
  if (type !== 'message' || role === undefined || content === undefined)
    return refuse(
      'unsupported_parameter',
      `'${where}' is of type '${type.slice(0, 40)}': a search takes messages`,
      where,
    );
  const unknown = Object.keys(rest).find((key) => !['id', 'status', 'phase'].includes(key));
  if (unknown !== undefined)
    refuse('unknown_parameter', `'${where}.${unknown}' is not a known parameter`, `${where}.${unknown}`);
  return {
    role,
    content:
      typeof content === 'string' ? content : content.map((part, n) => textOf(part, `${where}.content.${n}`)).join(''),
  };
}

function textOf(part: Readonly<Record<string, unknown>>, where: string): string {
  const text = part.type === 'refusal' ? part.refusal : part.text;
  if (textTypes.includes(String(part.type)) && typeof text === 'string') return text;
  return refuse(
    'unsupported_parameter',
    `'${where}' is of type '${String(part.type).slice(0, 40)}': a search takes text only`,
    where,
  );
}
