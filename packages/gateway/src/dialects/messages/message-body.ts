// The body of a message as Anthropic's clients send it, and the chat that it asks for. Shape only; what cannot be honoured is refused by
// name, here or where every chat is planned.

import { efforts, modelKnobs, requestKnobs, schemaOf } from '@coppice/core/config';
import { z } from 'zod';
import { refuseField } from '../../http/api-error.ts';
import { parseBody } from '../../http/checked-input.ts';
import { type ChatBody, drawnFields, drawnIn } from '../chat-body.ts';
import { refuseShaping } from '../fields.ts';

const anything = z.unknown().optional();
const block = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(block)]);

const prompt = {
  model: z.string().min(1),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant', 'system']), content })).min(1),
  system: z.union([z.string(), z.array(block)]).nullish(),
  thinking: z
    .looseObject({
      type: z.enum(['enabled', 'disabled', 'adaptive']),
      budget_tokens: z.int().min(1).optional(),
      display: anything,
    })
    .nullish(),
  output_config: z.object({ effort: z.enum(efforts).nullish(), format: anything }).nullish(),
  // Prefixes are shared without marks.
  cache_control: anything,
};

export const messageSchema = z.object({
  ...prompt,
  ...drawnFields,
  max_tokens: schemaOf(requestKnobs.maxTokens),
  stop_sequences: z.array(z.string().min(1)).max(4).nullish(),
  metadata: z.object({ user_id: z.string().max(512).nullish() }).nullish(),
});

export const countSchema = z.object(prompt);

export type MessageBody = z.output<typeof messageSchema>;
type CountBody = z.output<typeof countSchema>;
type ChatMessage = ChatBody['messages'][number];

export function parseMessageBody(value: unknown): MessageBody {
  const body = parseBody(messageSchema, value);
  refuseShaping(value, []);
  return body;
}

export function parseCountBody(value: unknown): CountBody {
  const body = parseBody(countSchema, value);
  refuseShaping(value, []);
  return body;
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
  return {
    ...drawnIn(body),
    messages: messagesOf(body),
    user: body.metadata?.user_id,
    max_completion_tokens: max_tokens,
    ...(stop_sequences?.length ? { stop: stop_sequences } : {}),
    coppice: own,
    reasoning_effort: output_config?.effort,
    response_format: output_config?.format,
  } as ChatBody;
}

const { high: mostThinking } = modelKnobs.maxThinkingTokens;

export function messagesOf({ system, messages }: CountBody): ChatMessage[] {
  const first: ChatMessage[] = system ? [{ role: 'system', content: textOf(system, 'system') }] : [];
  return [
    ...first,
    ...messages.map(({ role, content: each }, at) => ({ role, content: textOf(each, `messages.${at}.content`) })),
  ];
}

/** Thinking of former turns is dropped, as is usual. */
const leftOut: readonly string[] = ['thinking', 'redacted_thinking'];

function textOf(value: z.output<typeof content>, where: string): string {
  if (typeof value === 'string') return value;
  return value
    .filter(({ type }) => !leftOut.includes(type))
    .map(({ type, text, ...rest }, at) => {
      const name = `${where}.${at}`;
      if (type !== 'text' || typeof text !== 'string')
        return refuseField(
          'unsupported_parameter',
          name,
          `is of type '${type.slice(0, 40)}': a search takes text only`,
        );
      const unknown = Object.keys(rest).find((key) => key !== 'cache_control' && key !== 'citations');
      if (unknown !== undefined) refuseField('unknown_parameter', `${name}.${unknown}`, 'is not a known parameter');
      return text;
    })
    .join('');
}
