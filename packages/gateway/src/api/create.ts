// The path of every searched request, in any dialect: read it, pass on what no search can do, plan, start, and tell, whole or as a
// stream. A client that goes away takes its search along, unless it asked for the background.

import type { InboundDialect } from '../dialects/dialect.ts';
import { unfolded } from '../dialects/fields.ts';
import { record } from '../dialects/unchecked.ts';
import { ApiError } from '../http/api-error.ts';
import { EventStream } from '../http/event-stream.ts';
import { type Exchange, onDisconnect, readJson, writeJson } from '../http/exchange.ts';
import { searchHeader } from '../wire/reply-json.ts';
import { type GatewayContext, requireJournal, tellIgnored } from './context.ts';
import { passThrough } from './passthrough.ts';
import { planAsked, upstreamFor } from './plan-for.ts';
import { accepted, streamLive, streamStored, wholeAnswer } from './telling.ts';

export function create<Body>(dialect: InboundDialect<Body>) {
  return (context: GatewayContext, exchange: Exchange) => answer(context, dialect, exchange);
}

async function answer<Body>(context: GatewayContext, dialect: InboundDialect<Body>, exchange: Exchange): Promise<void> {
  const { searches, config, limits } = context;
  const { request, response, caller, trace } = exchange;
  const value = unfolded(dialect.path, await readJson(context, request));
  const upstream = upstreamFor(context, dialect, value);
  if (upstream !== undefined) return passThrough(context, exchange, upstream, record(value), dialect.path);
  const asked = dialect.read(value, context.journal.texts);
  requireJournal(context);
  const { stream, background = false, stored = false } = asked;
  const release = background && !stream ? () => {} : context.streams.take();
  try {
    const deadlineMs = background ? config.limits.deadlineMs : config.admission.deadlineMs;
    const { plan, kept, chat, untaken } = await planAsked(context, dialect, asked.body, caller, { deadlineMs });
    tellIgnored(context, [...asked.ignored, ...untaken], exchange);
    const search = await searches.start(plan, caller, { background, body: kept, chat, trace });
    if ('known' in search) throw new ApiError('internal', `${dialect.path} takes no idempotency key`);
    exchange.search = search.id;
    response.setHeader(searchHeader, search.id);
    if (!background) onDisconnect(response, () => searches.cancel(search));
    const teller = dialect.teller(asked, search);
    if (stream) {
      const events = new EventStream(response, limits, teller.heartbeat);
      await (stored ? streamStored(context, events, teller, search.id) : streamLive(events, teller, search));
      return;
    }
    const told = background ? teller.answer(accepted) : await wholeAnswer(context, response, teller, search, stored);
    writeJson(response, 200, told);
  } finally {
    release();
  }
}
