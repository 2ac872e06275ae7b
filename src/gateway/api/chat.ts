// `POST /v1/chat/completions`: plan, start, and answer whole or as a stream. A client that goes away takes its search
// along, down to the engine.

import type { SearchPlan } from '../../answering/search-plan.ts';
import type { Plain } from '../../journal/journal.ts';
import { ApiError } from '../http/api-error.ts';
import { type Exchange, onDisconnect, parseJson, readBody, writeJson } from '../http/exchange.ts';
import { type ChatBody, parseChatBody } from '../plan/chat-body.ts';
import type { LiveSearch } from '../searches/live-search.ts';
import { requireResult } from '../searches/search-end.ts';
import { completion } from './chat-answer.ts';
import { streamAnswer } from './chat-stream.ts';
import { type GatewayContext, requireJournal } from './context.ts';
import { passThrough } from './passthrough.ts';
import { planFor } from './plan-for.ts';
import { upstreamFor } from './upstream-for.ts';

export async function chat(context: GatewayContext, exchange: Exchange): Promise<void> {
  const bytes = await readBody(exchange.request, context.config.server.bodyBytes);
  const value = parseJson(bytes);
  const upstream = upstreamFor(context, '/chat/completions', value);
  if (upstream !== undefined) return passThrough(context, exchange, upstream, value as Plain);
  const body = parseChatBody(value);
  requireJournal(context);
  const release = context.streams.take();
  try {
    const plan = planFor(context, body, exchange.caller, context.config.admission.deadlineMs);
    const search = await start(context, exchange, body, plan);
    if (body.stream === true) await streamAnswer(context, exchange, body, search);
    else await answer(exchange, search);
  } finally {
    release();
  }
}

async function start(
  context: GatewayContext,
  exchange: Exchange,
  body: ChatBody,
  plan: SearchPlan,
): Promise<LiveSearch> {
  const search = await context.searches.start(plan, exchange.caller, {
    background: false,
    body: body as Plain,
    trace: exchange.trace,
  });
  if ('known' in search) throw new ApiError('internal', 'a chat has no idempotency key');
  exchange.search = search.id;
  onDisconnect(exchange.response, () => context.searches.cancel(search));
  return search;
}

async function answer({ response }: Exchange, search: LiveSearch): Promise<void> {
  const last = await search.wait();
  writeJson(response, 200, completion(last, requireResult(last)));
}
