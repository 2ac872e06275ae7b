// `POST /v1/messages` for Anthropic's clients: searched as a chat, answered in blocks.

import type { Plain } from '@coppice/core/journal';
import type { ErrorJson } from '../../wire/search-json.ts';
import { shapeWith } from '../answer-format.ts';
import { type DeltaWords, deltaTeller } from '../deltas.ts';
import type { AskedBody, Beyond, InboundDialect, StreamFrame, Teller, ToldSearch, TypedEvent } from '../dialect.ts';
import { ignoredIn, parseSearched, passedIn } from '../fields.ts';
import { askedTurn } from '../turn-body.ts';
import { record } from '../unchecked.ts';
import { MessageEvents, wholeMessage } from './message-answer.ts';
import { chatOf, isBeyondText, isBeyondTurn, type MessageBody, messageSchema, showsThinking } from './message-body.ts';
import { chatTools } from './message-turns.ts';

export const messagesDialect: InboundDialect<MessageBody> = {
  path: '/v1/messages',
  fieldNames: [
    [/\bmax_completion_tokens\b/g, 'max_tokens'],
    [/\breasoning_effort\b/g, 'output_config.effort'],
    [/'stop'|^stop$/g, 'stop_sequences'],
    [/\bresponse_format\b/g, 'output_config.format'],
  ],
  beyond,
  read,
  chat: (body, { limits }) => {
    const chat = chatOf(body, limits.tokens);
    return { chat, kept: chat as Plain };
  },
  teller,
  error: messagesError,
};

function beyond(body: Plain): Beyond {
  const { output_config: output, stop_sequences: stop } = body;
  // Clients of this API name its usual effort, `high`, and lower ones to save: neither asks for a vote.
  const wished = ['xhigh', 'max'].find((effort) => effort === record(output).effort);
  return {
    isBeyond: isBeyondText(body),
    passed: passedIn(body),
    turn: isBeyondTurn(body) ? undefined : askedTurn({ ...chatTools(body), reasoning_effort: wished }),
    shape: () => shapeWith(record(output).format),
    stop,
  };
}

function read(value: unknown): AskedBody<MessageBody> {
  const body = parseSearched(messageSchema, value);
  return { body, stream: body.stream === true, ignored: ignoredIn(messageSchema, value) };
}

function teller({ body, stream }: AskedBody<MessageBody>, search: ToldSearch): Teller {
  const thinks = showsThinking(body);
  const message = new MessageEvents(thinks);
  const words: DeltaWords = {
    begin: () => framed(message.start(search)),
    delta: (delta) => framed(message.delta(delta)),
    last: (last, result) => framed(message.last(last, result)),
    failed: (error) => framed([messagesError(error)]),
    whole: (last, result) => wholeMessage(last, result, thinks),
  };
  return deltaTeller(search, stream, words, thinks);
}

function framed(events: readonly TypedEvent[]): StreamFrame[] {
  return events.map((data) => ({ event: data.type, data }));
}

function messagesError({ type, code, message, param }: ErrorJson) {
  return { type: 'error', error: { type: type === 'server_error' ? 'api_error' : type, message, code, param } };
}
