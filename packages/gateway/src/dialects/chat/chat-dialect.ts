// `POST /v1/chat/completions` for OpenAI's clients. The other dialects turn their bodies into chats, so this one renames no field.

import type { Plain } from '@coppice/core/journal';
import { forcedCall, shapeWith } from '../answer-format.ts';
import { chatParts } from '../body-wish.ts';
import { type ChatBody, chatSchema, parseChatBody, takesReasoning } from '../chat-body.ts';
import { isReadBy } from '../content-text.ts';
import { type DeltaWords, deltaTeller } from '../deltas.ts';
import type { AskedBody, Beyond, InboundDialect, Teller, ToldSearch } from '../dialect.ts';
import { ignoredIn, passedIn } from '../fields.ts';
import { askedTurn } from '../turn-body.ts';
import { hasItems, record, some } from '../unchecked.ts';
import { Chunks, completion } from './chat-answer.ts';

export const chatDialect: InboundDialect<ChatBody> = {
  path: '/v1/chat/completions',
  fieldNames: [],
  beyond,
  read,
  chat: (body) => ({ chat: body, kept: body as Plain }),
  teller,
  error: (error) => ({ error }),
};

function beyond(body: Plain): Beyond {
  const { tools, functions, messages, reasoning_effort: effort, reasoning, stop } = body;
  const call = forcedCall(body);
  const isOffered = hasItems(functions) || (hasItems(tools) && call === undefined);
  const isBeyond = isOffered || some(messages, needsPassthrough) || (effort ?? record(reasoning).effort) === 'none';
  return {
    isBeyond,
    passed: passedIn(body),
    turn: askedTurn(body),
    shape: () => shapeWith(body.response_format, call),
    stop,
  };
}

/** True if only an engine's own chat endpoint understands this message. */
function needsPassthrough(message: unknown): boolean {
  const { role, tool_calls: calls, content } = record(message);
  if (role === 'tool' || role === 'function' || hasItems(calls)) return true;
  return some(content, (part) => !isReadBy(chatParts, part));
}

function read(value: unknown): AskedBody<ChatBody> {
  const body = parseChatBody(chatSchema, value);
  return { body, stream: body.stream === true, ignored: ignoredIn(chatSchema, value) };
}

function teller({ body, stream }: AskedBody<ChatBody>, search: ToldSearch): Teller {
  const includesUsage = body.stream_options?.include_usage === true;
  const chunks = new Chunks(search, includesUsage);
  const words: DeltaWords = {
    begin: () => words.delta({ role: 'assistant', content: '' }),
    delta: (delta) => [{ data: chunks.delta(delta) }],
    last: (last, result) => [
      ...chunks.last(last, result).map((data) => ({ data })),
      ...(includesUsage ? [{ data: chunks.usage(result.outcome) }] : []),
      { data: '[DONE]' },
    ],
    failed: (error) => [{ data: { error } }],
    whole: completion,
  };
  return { ...deltaTeller(search, stream, words, takesReasoning(body)), heartbeat: () => progress(search) };
}

function progress({ state, fold }: ToldSearch): string {
  const best = fold.bestScore === undefined ? '-' : fold.bestScore.toPrecision(3);
  return `coppice ${state} nodes=${fold.nodes} rollouts=${fold.rollouts} best=${best}`;
}
