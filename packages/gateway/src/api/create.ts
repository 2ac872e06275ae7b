// Handles every searched request, in any dialect: reads it, passes on what no search can do, plans, starts, and answers whole or as a
// stream. A client that disconnects cancels its search, unless it runs in the background.

import { chatDialect } from '../dialects/chat/chat-dialect.ts';
import type { InboundDialect, Teller } from '../dialects/dialect.ts';
import { unfolded } from '../dialects/fields.ts';
import { messagesDialect } from '../dialects/messages/messages-dialect.ts';
import { responsesDialect } from '../dialects/responses/responses-dialect.ts';
import { record } from '../dialects/unchecked.ts';
import { ApiError } from '../http/api-error.ts';
import { EventStream } from '../http/event-stream.ts';
import { type Exchange, onDisconnect, readJson, writeJson } from '../http/exchange.ts';
import { searchHeader } from '../wire/reply-json.ts';
import { type GatewayContext, requireJournal, tellIgnored } from './context.ts';
import { passThrough } from './passthrough.ts';
import { planAsked, upstreamFor } from './plan-for.ts';
import { accepted, streamLive, streamStored, wholeAnswer } from './telling.ts';

/** APIs whose requests become searches. */
export const dialects: readonly InboundDialect[] = [chatDialect, responsesDialect, messagesDialect];

/** The dialect whose path this one starts with; other routes answer errors like OpenAI's chat API. */
export function dialectAt(path: string): InboundDialect {
  return dialects.find((each) => path.startsWith(each.path)) ?? chatDialect;
}

export function create<Body>(dialect: InboundDialect<Body>) {
  return (context: GatewayContext, exchange: Exchange) => answer(context, dialect, exchange);
}

async function answer<Body>(context: GatewayContext, dialect: InboundDialect<Body>, exchange: Exchange): Promise<void> {
  const { searches, config, limits } = context;
  const { request, response, caller } = exchange;
  const value = unfolded(dialect.path, await readJson(context, request));
  const upstream = upstreamFor(context, dialect, value);
  if (upstream !== undefined) return passThrough(context, exchange, upstream, record(value), dialect.path);
  const asked = dialect.read(value, context.journal.texts);
  requireJournal(context);
  const { stream, background = false, stored = false } = asked;
  const release = background && !stream ? () => {} : context.streams.take();
  try {
    const deadlineMs = background ? config.limits.deadlineMs : config.admission.deadlineMs;
    const planned = await planAsked(context, dialect, asked.body, caller, { deadlineMs }, request.headers);
    const { plan, kept, chat, untaken } = planned;
    tellIgnored(context, [...asked.ignored, ...untaken], exchange);
    const search = await searches.start(plan, caller, { background, body: kept, chat });
    if ('known' in search) throw new ApiError('internal', `${dialect.path} takes no idempotency key`);
    exchange.search = search.id;
    response.setHeader(searchHeader, search.id);
    if (!background) onDisconnect(response, () => searches.cancel(search));
    const teller = dialect.teller(asked, search);
    if (stream) {
      const events = new EventStream(response, limits, (silent) => tellSilence(silent, teller));
      await (stored ? streamStored(context, events, teller, search.id) : streamLive(events, teller, search));
      return;
    }
    const told = background ? teller.answer(accepted) : await wholeAnswer(context, response, teller, search, stored);
    writeJson(response, 200, told);
  } finally {
    release();
  }
}

function tellSilence(events: EventStream, { heartbeat, silence }: Teller): void {
  events.comment(heartbeat?.() ?? 'heart-beat');
  for (const frame of silence?.() ?? []) events.frame(frame);
}
