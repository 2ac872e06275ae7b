// The one way of a request that is searched, whatever dialect it is in: read it, pass on what no search can do, plan, start, and tell,
// whole or as a stream. A client that goes away takes its search along, unless it asked for it in the background.

import type { Plain } from '../../journal/journal.ts';
import type { AskedBody, InboundDialect } from '../dialects/dialect.ts';
import { ApiError } from '../http/api-error.ts';
import { type Exchange, onDisconnect, parseJson, readBody } from '../http/exchange.ts';
import type { LiveSearch } from '../searches/live-search.ts';
import { type GatewayContext, requireJournal } from './context.ts';
import { passThrough } from './passthrough.ts';
import { planAsked } from './plan-for.ts';
import { answerAccepted, answerWhole, streamLive, streamStored } from './telling.ts';
import { upstreamFor } from './upstream-for.ts';

export async function create(context: GatewayContext, dialect: InboundDialect, exchange: Exchange): Promise<void> {
  const value = parseJson(await readBody(exchange.request, context.config.server.bodyBytes));
  const upstream = upstreamFor(context, dialect, value);
  if (upstream !== undefined) return passThrough(context, exchange, upstream, value as Plain, dialect.path);
  const asked = dialect.read(value, context.journal.texts);
  requireJournal(context);
  const { stream, background, stored } = asked;
  const release = background && !stream ? () => {} : context.streams.take();
  try {
    const search = await start(context, dialect, exchange, asked);
    const { response } = exchange;
    if (!background) onDisconnect(response, () => context.searches.cancel(search));
    const teller = dialect.teller(asked, search);
    if (stream && stored) await streamStored(context, response, teller, search.id);
    else if (stream) await streamLive(context, response, teller, search);
    else if (background) answerAccepted(response, teller);
    else await answerWhole(context, response, teller, search, stored);
  } finally {
    release();
  }
}

async function start(
  context: GatewayContext,
  dialect: InboundDialect,
  exchange: Exchange,
  { body, background }: AskedBody,
): Promise<LiveSearch> {
  const { caller, trace } = exchange;
  const { admission, limits } = context.config;
  const { plan, kept } = await planAsked(
    context,
    dialect,
    body,
    caller,
    background ? limits.deadlineMs : admission.deadlineMs,
  );
  const search = await context.searches.start(plan, caller, { background, body: kept, trace });
  if ('known' in search) throw new ApiError('internal', `${dialect.path} takes no idempotency key`);
  exchange.search = search.id;
  return search;
}
