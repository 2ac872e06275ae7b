// The body of a response as OpenAI's clients send it, and the chat that it asks for. Shape only: what cannot be honoured is refused by
// name, here or where every chat is planned.

import { efforts, requestKnobs, schemaOf } from '@coppice/core/config';
import { z } from 'zod';
import { refuseField } from '../../http/api-error.ts';
import { parseBody } from '../../http/checked-input.ts';
import { type ChatBody, drawnIn, openAiFields } from '../chat-body.ts';
import { refuseShaping } from '../fields.ts';
import { record, some } from '../unchecked.ts';

const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']).optional(),
  content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]).optional(),
  id: z.string().nullish(),
});

export const responseSchema = z.object({
  ...openAiFields,
  input: z.union([z.string().min(1), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  max_output_tokens: schemaOf(requestKnobs.maxTokens).nullish(),
  reasoning: z
    .object({
      effort: z.enum(['none', ...efforts]).nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
    })
    .nullish(),
  stream_options: z.object({ include_obfuscation: z.boolean().nullish() }).nullish(),
  text: z.object({ format: z.looseObject({}).nullish() }).nullish(),
  include: z.array(z.string()).nullish(),
});

export type ResponseBody = z.output<typeof responseSchema>;
export type InputItem = Exclude<ResponseBody['input'], string>[number];
type ChatMessage = ChatBody['messages'][number];

export function parseResponseBody(value: unknown): ResponseBody {
  const body = parseBody(responseSchema, value);
  refuseShaping(value, []);
  return body;
}

/** Nothing else can be included: encrypted reasoning, for one, does not exist here. */
const includesLogprobs = 'message.output_text.logprobs';

export function notIncluded({ include }: ResponseBody): string[] {
  return (include ?? []).filter((each) => each !== includesLogprobs).map((each) => `include.${each}`);
}

export function itemsOf({ input }: ResponseBody): readonly InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
}

export function formatOf({ text }: ResponseBody): Readonly<Record<string, unknown>> | undefined {
  return text?.format ?? undefined;
}

export function chatOf(body: ResponseBody, said: readonly ChatMessage[]): ChatBody {
  const { instructions, seed, max_output_tokens, reasoning, metadata, user } = body;
  const system: ChatMessage[] = instructions ? [{ role: 'system', content: instructions }] : [];
  return {
    ...drawnIn(body),
    messages: [...system, ...said],
    seed,
    metadata,
    user,
    ...(body.include?.includes(includesLogprobs) ? { logprobs: true } : {}),
    response_format: formatOf(body),
    max_completion_tokens: max_output_tokens,
    reasoning_effort: reasoning?.effort,
  } as ChatBody;
}

const textTypes: readonly string[] = ['input_text', 'output_text', 'text', 'refusal'];

const itemTypes: readonly unknown[] = ['message', 'reasoning', 'item_reference', undefined];

export function isBeyondSearch(value: unknown): boolean {
  const { type, content } = record(value);
  if (!itemTypes.includes(type)) return true;
  return type !== 'reasoning' && some(content, (part) => isOtherPart(record(part).type));
}

function isOtherPart(type: unknown): boolean {
  return typeof type === 'string' && !textTypes.includes(type);
}

/** Undefined for reasoning of former turns, which is dropped as is usual. */
export function messageOf(
  { type = 'message', role, content, ...rest }: InputItem,
  at: number,
): ChatMessage | undefined {
  const where = `input.${at}`;
  if (type === 'reasoning') return undefined;
  if (type !== 'message' || role === undefined || content === undefined)
    return refuseField('unsupported_parameter', where, `is of type '${type.slice(0, 40)}': a search takes messages`);
  const unknown = Object.keys(rest).find((key) => !['id', 'status', 'phase'].includes(key));
  if (unknown !== undefined) refuseField('unknown_parameter', `${where}.${unknown}`, 'is not a known parameter');
  return {
    role,
    content:
      typeof content === 'string' ? content : content.map((part, n) => textOf(part, `${where}.content.${n}`)).join(''),
  };
}

function textOf(part: Readonly<Record<string, unknown>>, where: string): string {
  const text = part.type === 'refusal' ? part.refusal : part.text;
  if (textTypes.includes(String(part.type)) && typeof text === 'string') return text;
  const type = String(part.type).slice(0, 40);
  return refuseField('unsupported_parameter', where, `is of type '${type}': a search takes text only`);
}
