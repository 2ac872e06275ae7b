// `POST /v1/chat/completions`: plan, start, and answer whole or as a stream. A client that goes away takes its search
// along, down to the engine.

import type { Plain } from '../journal/journal.ts';
import { ApiError } from './api-error.ts';
import { Chunks, completion, type Finished } from './chat-answer.ts';
import { type ChatBody, parseChatBody } from './chat-body.ts';
import type { GatewayContext } from './context.ts';
import { EventStream } from './event-stream.ts';
import { type Exchange, onDisconnect, parseJson, readBody, writeJson } from './exchange.ts';
import type { LiveSearch } from './live-search.ts';
import { needsPassthrough } from './messages.ts';
import { passThrough } from './passthrough.ts';
import { planFor } from './plan-for.ts';
import { chosenPath, splitPath } from './search-result.ts';
import { SharedText } from './shared-text.ts';

export async function chat(context: GatewayContext, exchange: Exchange): Promise<void> {
  const bytes = await readBody(exchange.request, context.config.server.bodyBytes);
  const value = parseJson(bytes);
  const upstream = upstreamFor(context, value);
  if (upstream !== undefined) return passThrough(context, exchange, upstream, value as Plain);
  const body = parseChatBody(value);
  const release = context.streams.take();
  try {
    const plan = planFor(context, body, exchange.caller, context.config.admission.deadlineMs);
    const search = await start(context, exchange, body, plan);
    if (body.stream === true) await stream(context, exchange, body, search);
    else await answer(context, exchange, search);
  } finally {
    release();
  }
}

/** The engine's own chat endpoint, for what cannot or shall not be searched, where there is one and it is allowed. */
function upstreamFor(context: GatewayContext, value: unknown) {
  if (typeof value !== 'object' || value === null) return undefined;
  const { model: name, tools, functions, reasoning_effort: effort, messages } = value as Partial<ChatBody>;
  const model = typeof name === 'string' ? context.searches.models.get(name) : undefined;
  if (model?.upstream === undefined || model.config.passthrough === 'forbid') return undefined;
  const asksForTools = [tools, functions].some((each) => Array.isArray(each) && each.length > 0);
  const beyondText = Array.isArray(messages) && messages.some(needsPassthrough);
  return asksForTools || beyondText || effort === 'none' ? model.upstream : undefined;
}

async function start(
  context: GatewayContext,
  exchange: Exchange,
  body: ChatBody,
  plan: ReturnType<typeof planFor>,
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

async function answer(_: GatewayContext, exchange: Exchange, search: LiveSearch): Promise<void> {
  const last = await search.wait();
  const finished = finishedOrThrow(last);
  writeJson(exchange.response, 200, completion(last, finished));
}

export function finishedOrThrow(search: LiveSearch): Finished {
  const { result, error } = search.ended ?? {};
  if (error !== undefined) throw error;
  if (result === undefined) throw new ApiError('cancelled', 'the search was cancelled before it started');
  return result;
}

async function stream(context: GatewayContext, exchange: Exchange, body: ChatBody, search: LiveSearch): Promise<void> {
  const { heartbeatMs, streamBytes } = context.config.server;
  const heartbeat = () => progress(search);
  const events = new EventStream(exchange.response, { heartbeatMs, limitBytes: streamBytes, heartbeat });
  const chunks = new Chunks(search, body.stream_options?.include_usage === true);
  events.data(chunks.delta({ role: 'assistant', content: '' }));
  const early = watch(search, (delta) => events.data(chunks.delta(delta)));
  const last = await search.wait();
  if (events.closed) return;
  try {
    const finished = finishedOrThrow(last);
    for (const delta of early.rest(last, finished)) events.data(chunks.delta(delta));
    events.data(chunks.last(last, finished));
    if (body.stream_options?.include_usage === true) events.data(chunks.usage(finished.outcome.usage));
    events.raw('data: [DONE]\n\n');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    events.data({ error: error.body });
  }
  events.end();
}

type Delta = Readonly<Record<string, string>>;

interface Early {
  /** What the final answer adds to what has gone out. */
  rest(last: LiveSearch, finished: Finished): Delta[];
}

/** Sends what is certain while the search runs. With `refuse` and `escalate` nothing is certain before the end. */
function watch(search: LiveSearch, send: (delta: Delta) => void): Early {
  const { plan } = search.facts;
  if (plan.onFutile !== 'answer') return { rest: wholeAnswer };
  return plan.mode === 'direct' ? watchTokens(search, send) : watchTree(search, send);
}

function wholeAnswer(_: LiveSearch, { texts }: Finished): Delta[] {
  const { content, reasoning_content: reasoning, refusal } = texts;
  return [
    ...(reasoning === null ? [] : [{ reasoning_content: reasoning }]),
    ...(content === null || content === '' ? [] : [{ content }]),
    ...(refusal === null ? [] : [{ refusal }]),
  ];
}

function watchTree(search: LiveSearch, send: (delta: Delta) => void): Early {
  const { plan } = search.facts;
  const shared = new SharedText(search.mirror, plan.program, plan.maxTokens);
  const inline = plan.reasoning === 'inline';
  const toDelta = ({ kind, text }: { kind: 'reasoning' | 'content'; text: string }): Delta =>
    kind === 'content' || inline ? { content: text } : { reasoning_content: text };
  search.listeners.add({
    event: ({ event }) => {
      if (event.type !== 'grown' && event.type !== 'merged' && event.type !== 'withered') return;
      for (const piece of shared.take()) send(toDelta(piece));
    },
  });
  return {
    rest: (last, { outcome }) => {
      const path = chosenPath(plan, last.mirror);
      const pieces = shared.finish(path).map(toDelta);
      // A path that was not completed has gone out as reasoning; its last step stands for the answer.
      const repeat = outcome.complete || inline ? '' : splitPath(plan, path, false).content;
      return repeat === '' ? pieces : [...pieces, { content: repeat }];
    },
  };
}

/** One generation goes out token by token; a stop string is held back until it is known to be one. */
function watchTokens(search: LiveSearch, send: (delta: Delta) => void): Early {
  const { plan } = search.facts;
  const hold = Math.max(0, ...plan.delimiters.map((each) => each.length));
  let text = '';
  let sent = 0;
  let index: number | undefined;
  search.listeners.add({
    token: (token) => {
      index ??= token.index;
      if (token.index !== index) return;
      text += token.text;
      const upTo = text.length - hold;
      if (upTo <= sent) return;
      send({ content: text.slice(sent, upTo) });
      sent = upTo;
    },
  });
  return {
    rest: (_, { texts }) => {
      const content = texts.content ?? '';
      if (!content.startsWith(text.slice(0, sent)))
        throw new ApiError('engine_failed', 'the engine failed in the middle of its answer');
      return content.length > sent ? [{ content: content.slice(sent) }] : [];
    },
  };
}

function progress({ state, mirror }: LiveSearch): string {
  const best = mirror.bestScore === undefined ? '-' : mirror.bestScore.toPrecision(3);
  return `coppice ${state} nodes=${mirror.nodes.length} rollouts=${mirror.rollouts} best=${best}`;
}
