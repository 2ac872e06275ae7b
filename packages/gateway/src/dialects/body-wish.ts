// Reads a body's conversation as a prompt, and its fields as settings of a search. Never rebuilds or shortens what the client wrote.

import type { PlanRequest, Wish, WishedShape } from '@coppice/core/answering';
import { isRecord } from '@coppice/core/base';
import {
  bodyName,
  knobOf,
  type LimitsConfig,
  mostPromptChars,
  namedParts,
  searchKnobNames,
} from '@coppice/core/config';
import type { Message, Prompt } from '@coppice/core/tree';
import { refuseField } from '../http/api-error.ts';
import { fixedLimits } from '../http/fixed-limits.ts';
import { forcedCall, shapeWith } from './answer-format.ts';
import type { ChatBody } from './chat-body.ts';
import { drawsIn } from './fields.ts';
import { record } from './unchecked.ts';

export function askedIn(body: ChatBody, limits: LimitsConfig): Pick<PlanRequest, 'question' | 'wish' | 'speaker'> {
  const call = forcedCall(body);
  refuseWhatSearchCannot(body, effortIn(body) === 'none');
  return { question: readMessages(body.messages, limits), wish: wishOf(body, call), speaker: 'body' };
}

function effortIn({ reasoning_effort: effort, reasoning }: ChatBody): Wish['effort'] {
  return effort ?? reasoning?.effort ?? undefined;
}

function wishOf(body: ChatBody, call: WishedShape | undefined): Wish {
  const own = (body.coppice ?? {}) as Readonly<Record<string, unknown>>;
  const named = searchKnobNames.map((name) => {
    const written = bodyName(name);
    const { [written]: value } = knobOf(name).client === 'openai' ? record(body) : own;
    return [name, value ?? undefined];
  });
  const { enable_thinking: enabled, thinking = enabled } = body.chat_template_kwargs ?? {};
  return {
    ...(Object.fromEntries(named) as Wish),
    ...namedIn(own),
    ...(typeof thinking === 'boolean' ? { thinking: thinking ? 'on' : 'off' } : {}),
    ...(body.return_token_ids ? { recordTokens: 'on' as const } : {}),
    extras: drawsIn(body),
    effort: effortIn(body),
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    answers: body.n ?? undefined,
    logprobs: body.logprobs ?? undefined,
    shape: shapeWith(body.response_format, call),
    tests: typeof own.tests === 'string' ? own.tests : undefined,
    stop: typeof body.stop === 'string' ? [body.stop] : (body.stop ?? undefined),
  };
}

function namedIn(own: Readonly<Record<string, unknown>>): Record<string, Record<string, unknown>> {
  const objects = Object.entries(own).filter(([, value]) => isRecord(value));
  const named = objects.map(([part, given]) => {
    const names = Object.keys(namedParts().get(part) ?? {});
    const options = names.map((name) => [name, record(given)[bodyName(name)]]);
    return [part, Object.fromEntries(options.filter(([, value]) => value !== undefined))];
  });
  return Object.fromEntries(named);
}

function refuseWhatSearchCannot(body: ChatBody, direct: boolean): void {
  const oneAnswer = "cannot be honoured with reasoning_effort 'none': one generation has one answer";
  if ((body.n ?? 1) > 1 && direct) refuseField('unsupported_parameter', 'n', oneAnswer);
  const atEnd = 'cannot be honoured in a stream: tokens are known once the search has ended';
  if (body.return_token_ids && body.stream) refuseField('unsupported_parameter', 'return_token_ids', atEnd);
}

type BodyMessage = ChatBody['messages'][number];

const titleLength = 120;

function readMessages(messages: readonly BodyMessage[], limits: LimitsConfig): { prompt: Prompt; title: string } {
  const { messages: mostMessages } = fixedLimits;
  if (messages.length > mostMessages)
    refuseField('invalid_value', 'messages', `has ${messages.length} items; at most ${mostMessages}`);
  const read = messages.map(readMessage);
  const chars = read.reduce((sum, { content }) => sum + content.length, 0);
  const most = mostPromptChars(limits);
  const tooLong = `hold ${chars} characters; at most ${most} (2 for each of limits.tokens)`;
  if (chars > most) refuseField('context_length_exceeded', 'messages', tooLong);
  if (chars === 0) refuseField('invalid_value', 'messages', 'hold no text');
  const last = read.findLast(({ role }) => role === 'user') ?? read.at(-1)!;
  const title = last.content.trim().slice(0, titleLength).toWellFormed();
  return { prompt: { kind: 'chat', messages: read }, title };
}

/** Message fields that a search would have to drop. Reasoning of former turns is dropped. */
const unhonoured = ['tool_calls', 'tool_call_id', 'function_call', 'audio', 'annotations'] as const;

function readMessage(message: BodyMessage, at: number): Message {
  const where = `messages.${at}`;
  if (message.role === 'tool' || message.role === 'function') {
    const reason = `is '${message.role}': a search takes no tool messages`;
    return refuseField('unsupported_parameter', `${where}.role`, reason);
  }
  for (const field of unhonoured) {
    const value = message[field];
    if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) continue;
    refuseField('unsupported_parameter', `${where}.${field}`, 'cannot be honoured by a search');
  }
  const role = message.role === 'developer' ? 'system' : message.role;
  return { role, content: readContent(message.content ?? message.refusal, `${where}.content`) };
}

function readContent(content: BodyMessage['content'], where: string): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content.toWellFormed();
  const texts = content.map((part, at) => {
    if (part.type === 'text' && typeof part.text === 'string') return readText(part, part.text, `${where}.${at}`);
    const reason = `is of type '${part.type.slice(0, 40)}': a search takes text only`;
    return refuseField('unsupported_parameter', `${where}.${at}`, reason);
  });
  return texts.join('');
}

function readText(part: Readonly<Record<string, unknown>>, text: string, where: string): string {
  const unknown = Object.keys(part).find((key) => !['type', 'text', 'cache_control'].includes(key));
  if (unknown !== undefined) refuseField('unknown_parameter', `${where}.${unknown}`, 'is not a known parameter');
  return text.toWellFormed();
}
