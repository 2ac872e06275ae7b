// `POST /v1/messages` and `…/count_tokens`: plan, start and answer in Anthropic's words. A client that goes away takes its
// search along. What cannot be searched goes to the engine's own endpoint where it has one.

import type { Upstream } from '../../../answering/open-model.ts';
import type { Plain } from '../../../journal/journal.ts';
import { ApiError, asApiError } from '../../http/api-error.ts';
import { EventStream } from '../../http/event-stream.ts';
import { type Exchange, messagesError, onDisconnect, parseJson, readBody, writeJson } from '../../http/exchange.ts';
import type { LiveSearch } from '../../searches/live-search.ts';
import { requireResult } from '../../searches/search-end.ts';
import { watchAnswer } from '../chat-stream.ts';
import { type GatewayContext, requireJournal } from '../context.ts';
import { passThrough } from '../passthrough.ts';
import { servedModel } from '../plan-for.ts';
import { upstreamFor } from '../upstream-for.ts';
import { MessageEvents, wholeMessage } from './message-answer.ts';
import { type MessageBody, messagesOf, parseCountBody, parseMessageBody, showsThinking } from './message-body.ts';
import { planMessage } from './plan-message.ts';

export async function createMessage(context: GatewayContext, exchange: Exchange): Promise<void> {
  const value = parseJson(await readBody(exchange.request, context.config.server.bodyBytes));
  const upstream = upstreamFor(context, '/messages', value);
  if (upstream !== undefined) return passThrough(context, exchange, upstream, value as Plain, '/messages');
  const body = parseMessageBody(value);
  requireJournal(context);
  const release = context.streams.take();
  try {
    const search = await start(context, exchange, body);
    if (body.stream === true) return await stream(context, exchange, body, search);
    const last = await search.wait();
    writeJson(exchange.response, 200, wholeMessage(last, requireResult(last), showsThinking(body)));
  } finally {
    release();
  }
}

async function start(context: GatewayContext, exchange: Exchange, body: MessageBody): Promise<LiveSearch> {
  const { caller, trace, response } = exchange;
  const { plan, kept } = planMessage(context, caller, body, context.config.admission.deadlineMs);
  const search = await context.searches.start(plan, caller, { background: false, body: kept as Plain, trace });
  if ('known' in search) throw new ApiError('internal', 'a message has no idempotency key');
  exchange.search = search.id;
  onDisconnect(response, () => context.searches.cancel(search));
  return search;
}

async function stream(
  context: GatewayContext,
  { response }: Exchange,
  body: MessageBody,
  search: LiveSearch,
): Promise<void> {
  const { heartbeatMs, streamBytes } = context.config.server;
  const events = new EventStream(response, { heartbeatMs, limitBytes: streamBytes });
  const message = new MessageEvents(showsThinking(body));
  const send = (list: readonly { readonly type: string }[]) => {
    for (const event of list) events.event(event.type, event);
  };
  send(message.start(search));
  const early = watchAnswer(search, (delta) => send(message.delta(delta)));
  const last = await search.wait();
  if (events.closed) return;
  try {
    const result = requireResult(last);
    for (const delta of early.rest(last, result)) send(message.delta(delta));
    send(message.last(last, result));
  } catch (error) {
    events.event('error', messagesError(asApiError(error).body));
  }
  events.end();
}

/** Roughly so many characters make a token of English; each message adds some of its template. */
const charsPerToken = 4;
const tokensPerMessage = 4;

export async function countTokens(context: GatewayContext, exchange: Exchange): Promise<void> {
  const value = parseJson(await readBody(exchange.request, context.config.server.bodyBytes));
  const body = parseCountBody(value);
  const model = servedModel(context, body.model);
  const messages = messagesOf(body);
  const exact = model.upstream === undefined ? undefined : await askServer(model.upstream, messages);
  const chars = messages.reduce((sum, { content }) => sum + String(content).length, 0);
  const estimate = Math.ceil(chars / charsPerToken) + messages.length * tokensPerMessage;
  writeJson(exchange.response, 200, { input_tokens: exact ?? estimate, coppice: { estimate: exact === undefined } });
}

/** Servers that can count render the conversation with the model's own template. */
async function askServer({ urls, model, headers }: Upstream, messages: readonly object[]): Promise<number | undefined> {
  try {
    const answer = await fetch(`${urls[0]?.replace(/\/v1$/, '')}/tokenize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model, messages }),
      signal: AbortSignal.timeout(5000),
      redirect: 'error',
    });
    const { count } = (await answer.json()) as { count?: unknown };
    return answer.ok && typeof count === 'number' ? count : undefined;
  } catch {
    return undefined;
  }
}
