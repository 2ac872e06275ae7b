// Reads a body's conversation as a prompt, and its fields as settings of a search. Never rebuilds or shortens what the client wrote.

import type { PlannedModel, PlanRequest, Wish, WishedShape } from '@coppice/core/answering';
import { isRecord } from '@coppice/core/base';
import { bodyName, knobOf, type LimitsConfig, namedParts, searchKnobNames } from '@coppice/core/config';
import type { Message, Prompt, TurnFields } from '@coppice/core/tree';
import { refuseField } from '../http/api-error.ts';
import { fixedLimits } from '../http/fixed-limits.ts';
import { forcedCall, shapeWith } from './answer-format.ts';
import type { ChatBody } from './chat-body.ts';
import { dropped, refusalIn, textIn, textOf } from './content-text.ts';
import { drawsIn, refuseShaping } from './fields.ts';
import { askedTurn, isVoted, turnFieldsOf, turnMessage } from './turn-body.ts';
import { record } from './unchecked.ts';

type Asked = Pick<PlanRequest, 'question' | 'wish' | 'speaker'>;
type AskedModel = Pick<PlannedModel, 'engine' | 'config'>;

export function askedIn(body: ChatBody, limits: LimitsConfig, model: AskedModel): Asked {
  const turn = isVoted(model, askedTurn(body)) ? turnFieldsOf(body) : undefined;
  const call = turn === undefined ? forcedCall(body) : undefined;
  const { tools, tool_choice } = body;
  if (turn === undefined && call === undefined) refuseShaping({ tools, tool_choice }, []);
  refuseWhatSearchCannot(body, effortIn(body) === 'none');
  const shape = turn === undefined ? shapeWith(body.response_format, call) : undefined;
  return { question: readMessages(body.messages, limits, turn), wish: wishOf(body, shape, model), speaker: 'body' };
}

function effortIn({ reasoning_effort: effort, reasoning }: ChatBody): Wish['effort'] {
  return effort ?? reasoning?.effort ?? undefined;
}

/** True if the model's template can switch thinking. Other models ignore the field, as their own servers do. */
export function hasSwitch({ engine }: Pick<PlannedModel, 'engine'>): boolean {
  return engine.capabilities.thinking?.switches === true;
}

function wishOf(body: ChatBody, shape: WishedShape | undefined, model: AskedModel): Wish {
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
    ...(typeof thinking === 'boolean' && hasSwitch(model) ? { thinking: thinking ? 'on' : 'off' } : {}),
    ...(body.return_token_ids ? { recordTokens: 'on' as const } : {}),
    extras: drawsIn(body),
    effort: effortIn(body),
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    answers: body.n ?? undefined,
    logprobs: body.logprobs ?? undefined,
    shape,
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

export const chatParts = { text: textIn, refusal: refusalIn, thinking: dropped };

type BodyMessage = ChatBody['messages'][number];

const titleLength = 120;

function readMessages(
  messages: readonly BodyMessage[],
  limits: LimitsConfig,
  turn: TurnFields | undefined,
): { prompt: Prompt; title: string } {
  const { messages: mostMessages } = fixedLimits;
  if (messages.length > mostMessages)
    refuseField('invalid_value', 'messages', `has ${messages.length} items; at most ${mostMessages}`);
  const read = messages.map(turn === undefined ? readMessage : turnMessage);
  const chars = read.reduce((sum, { content }) => sum + content.length, 0);
  // Half as long as all that one search may generate, at four characters of English to a token.
  const most = limits.tokens * 2;
  const tooLong = `hold ${chars} characters; at most ${most} (2 for each of limits.tokens)`;
  if (chars > most) refuseField('context_length_exceeded', 'messages', tooLong);
  if (chars === 0 && turn === undefined) refuseField('invalid_value', 'messages', 'hold no text');
  const last = read.findLast(({ role }) => role === 'user') ?? read.at(-1)!;
  const title = last.content.trim().slice(0, titleLength).toWellFormed();
  return { prompt: { kind: 'chat', messages: read, ...(turn && { turn }) }, title };
}

/** Message fields that are refused, since a search would have to drop them. Only reasoning of former turns is dropped. */
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
  return { role, content: textOf(message.content ?? message.refusal ?? '', `${where}.content`, chatParts) };
}
