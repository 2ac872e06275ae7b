// Schema of a response's body as OpenAI's clients send it, and the chat made from it. It checks shapes only: fields that cannot be honoured
// are refused by name, here or when the chat is planned.

import { efforts, requestKnobs, schemaOf } from '@coppice/core/config';
import { z } from 'zod';
import { refuseField } from '../../http/api-error.ts';
import { each } from '../../wire/parts.ts';
import { type ChatBody, drawnIn, openAiFields } from '../chat-body.ts';
import { isReadBy, openedBySystem, refusalIn, textIn, textOf } from '../content-text.ts';
import { anything, partWith, record, some } from '../unchecked.ts';
import { chatTools, joinTurns } from './response-turns.ts';

const part = partWith('text', 'refusal', 'annotations', 'logprobs');
const item = z.looseObject({
  type: z.string().optional(),
  role: z.enum(['user', 'assistant', 'system', 'developer']).optional(),
  content: z.union([z.string(), z.array(part)]).optional(),
  id: z.string().nullish(),
  ...each(anything, 'status', 'phase', 'summary', 'encrypted_content'),
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
  text: z.object({ format: z.record(z.string(), z.unknown()).nullish() }).nullish(),
  include: z.array(z.string()).nullish(),
  ...each(anything, 'tools', 'tool_choice', 'parallel_tool_calls'),
});

export type ResponseBody = z.output<typeof responseSchema>;
export type InputItem = Exclude<ResponseBody['input'], string>[number];
type ChatMessage = ChatBody['messages'][number];

/** The only value that can be included: there is no encrypted reasoning here, for one. */
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
    ...chatTools(body),
    messages: openedBySystem(joinTurns([...system, ...said])),
    seed,
    metadata,
    user,
    ...(body.include?.includes(includesLogprobs) ? { logprobs: true } : {}),
    response_format: formatOf(body),
    max_completion_tokens: max_output_tokens,
    reasoning_effort: reasoning?.effort,
  } as ChatBody;
}

const parts = { input_text: textIn, output_text: textIn, text: textIn, refusal: refusalIn };

const itemTypes: readonly unknown[] = ['message', 'reasoning', 'item_reference', undefined];
const callTypes = ['function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'];
const turnTypes = [...itemTypes, ...callTypes];
const turnParts = { ...parts, input_image: textIn };

export function isBeyondSearch(value: unknown): boolean {
  return isOther(value, itemTypes, parts);
}

export function isBeyondTurn(value: unknown): boolean {
  return isOther(value, turnTypes, turnParts);
}

function isOther(value: unknown, types: readonly unknown[], held: typeof parts): boolean {
  const { type, content, output } = record(value);
  const isHeld = [content, output].every((list) => !some(list, (part) => !isReadBy(held, part)));
  return !types.includes(type) || (type !== 'reasoning' && !isHeld);
}

/** Undefined for reasoning of former turns, which is dropped as is usual. */
export function messageOf({ type = 'message', role, content }: InputItem, at: number): ChatMessage | undefined {
  const where = `input.${at}`;
  if (type === 'reasoning') return undefined;
  if (type !== 'message' || role === undefined || content === undefined)
    return refuseField('unsupported_parameter', where, `is of type '${type.slice(0, 40)}': a search takes messages`);
  return { role, content: textOf(content, `${where}.content`, parts) };
}
