// Schema of a message's body as Anthropic's clients send it, and the chat made from it. It checks shapes only: fields that cannot be
// honoured are refused by name, here or when the chat is planned.

import { efforts, modelKnobs, requestKnobs, schemaOf } from '@coppice/core/config';
import { z } from 'zod';
import { each } from '../../wire/parts.ts';
import { type ChatBody, drawnFields, drawnIn, mostStops } from '../chat-body.ts';
import { dropped, isReadBy, openedBySystem, textIn, textOf } from '../content-text.ts';
import { anything, hasItems, partWith, record, some } from '../unchecked.ts';
import { chatTools, turnMessages } from './message-turns.ts';

/** Blocks of thinking are dropped. */
const block = partWith('text', 'citations', 'cache_control', 'thinking', 'signature', 'data');
const content = z.union([z.string(), z.array(block)]);
const role = z.enum(['user', 'assistant', 'system']);

const prompt = {
  model: z.string().min(1),
  messages: z.array(z.object({ role, content })).min(1),
  system: z.union([z.string(), z.array(block)]).nullish(),
  thinking: z
    .looseObject({
      type: z.enum(['enabled', 'disabled', 'adaptive']),
      budget_tokens: z.int().min(1).optional(),
      display: anything,
    })
    .nullish(),
  output_config: z.object({ effort: z.enum(efforts).nullish(), format: anything }).nullish(),
  // Not needed: prefixes are shared without it.
  cache_control: anything,
};

export const messageSchema = z.object({
  ...prompt,
  ...drawnFields,
  max_tokens: schemaOf(requestKnobs.maxTokens),
  stop_sequences: z.array(z.string().min(1)).max(mostStops).nullish(),
  metadata: z.object({ user_id: z.string().max(512).nullish() }).nullish(),
  ...each(anything, 'tools', 'tool_choice'),
});

/** Blocks and tools of all kinds can be counted. */
const counted = z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]);
export const countSchema = z.object({
  ...prompt,
  messages: z.array(z.object({ role, content: counted })).min(1),
  tools: z.array(anything).nullish(),
});

export type MessageBody = z.output<typeof messageSchema>;
type CountBody = z.output<typeof countSchema>;
type ChatMessage = ChatBody['messages'][number];

/** English has about 4 characters a token; a template adds some tokens to each message. */
const charsPerToken = 4;
const tokensPerMessage = 4;

/** Estimates messages and tools. Encoded images and files count as nothing. */
export function estimateTokens(parts: readonly unknown[]): number {
  const written = (part: unknown) => JSON.stringify(part, (key, value) => (key === 'data' ? '' : value)) ?? '';
  const chars = parts.reduce<number>((sum, part) => sum + (typeof part === 'string' ? part : written(part)).length, 0);
  return Math.ceil(chars / charsPerToken) + parts.length * tokensPerMessage;
}

const blocks = { text: textIn, thinking: dropped, redacted_thinking: dropped };

const turnBlocks = { ...blocks, image: dropped, tool_use: dropped, tool_result: dropped, tool_reference: dropped };

/** The body is unchecked. */
export function isBeyondText({ tools, messages }: { readonly tools?: unknown; readonly messages?: unknown }): boolean {
  return hasItems(tools) || hasOther(messages, blocks);
}

/** The body is unchecked. */
export function isBeyondTurn({ messages }: { readonly messages?: unknown }): boolean {
  const results = (message: unknown) => record(message).content;
  return hasOther(messages, turnBlocks) || some(messages, (message) => hasOther(results(message), turnBlocks));
}

function hasOther(messages: unknown, held: typeof blocks): boolean {
  return some(messages, (message) => some(record(message).content, (each) => !isReadBy(held, each)));
}

export function showsThinking({ thinking }: MessageBody): boolean {
  return thinking?.type === 'enabled' || thinking?.type === 'adaptive';
}

/** `mostTokens`: the server's limit; a thinking budget above it is lowered. */
export function chatOf(body: MessageBody, mostTokens: number): ChatBody {
  const { max_tokens, stop_sequences, coppice, output_config, thinking } = body;
  const budget = thinking?.type === 'enabled' ? thinking.budget_tokens : undefined;
  const budgets = {
    token_budget: Math.min(budget ?? 0, mostTokens),
    max_thinking_tokens: Math.min(budget ?? 0, mostThinking),
  };
  const own = budget === undefined ? coppice : { ...budgets, ...coppice };
  const tools = chatTools(body);
  return {
    ...drawnIn(body),
    ...tools,
    messages: messagesOf(body, tools !== undefined),
    user: body.metadata?.user_id,
    max_completion_tokens: max_tokens,
    ...(stop_sequences?.length ? { stop: stop_sequences } : {}),
    coppice: own,
    reasoning_effort: output_config?.effort,
    response_format: output_config?.format,
  } as ChatBody;
}

const { high: mostThinking } = modelKnobs.maxThinkingTokens;

export function messagesOf(
  { system, messages }: Pick<CountBody, 'system' | 'messages'>,
  isTurn = false,
): ChatMessage[] {
  const first: ChatMessage[] = system ? [{ role: 'system', content: textOf(system, 'system', blocks) }] : [];
  if (isTurn) return openedBySystem([...first, ...messages.flatMap(turnMessages)]);
  const texts = messages.map((message, at) => textOf(message.content, `messages.${at}.content`, blocks));
  return openedBySystem([...first, ...messages.map(({ role }, at) => ({ role, content: texts[at]! }))]);
}
