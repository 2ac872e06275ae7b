// A chat completion as a stream: what is certain goes out while the search runs, the rest when it has ended, so that all
// of it together is the whole answer. After the first byte a failure can only be an error line.

import { isFold } from '../../tree/events.ts';
import { ApiError } from '../http/api-error.ts';
import { EventStream } from '../http/event-stream.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ChatBody } from '../plan/chat-body.ts';
import { chosenPath, splitPath } from '../result/search-result.ts';
import { SharedText } from '../result/shared-text.ts';
import type { LiveSearch } from '../searches/live-search.ts';
import { requireResult } from '../searches/search-end.ts';
import type { ClientResult } from '../wire/result-json.ts';
import { Chunks, type Delta } from './chat-answer.ts';
import type { GatewayContext } from './context.ts';

export async function streamAnswer(
  context: GatewayContext,
  exchange: Exchange,
  body: ChatBody,
  search: LiveSearch,
): Promise<void> {
  const { heartbeatMs, streamBytes } = context.config.server;
  const heartbeat = () => progress(search);
  const events = new EventStream(exchange.response, { heartbeatMs, limitBytes: streamBytes, heartbeat });
  const chunks = new Chunks(search, body.stream_options?.include_usage === true);
  events.data(chunks.delta({ role: 'assistant', content: '' }));
  const early = watchAnswer(search, (delta) => events.data(chunks.delta(delta)));
  const last = await search.wait();
  if (events.closed) return;
  try {
    const result = requireResult(last);
    for (const delta of early.rest(last, result)) events.data(chunks.delta(delta));
    for (const chunk of chunks.last(last, result)) events.data(chunk);
    if (body.stream_options?.include_usage === true) events.data(chunks.usage(result.outcome.usage));
    events.raw('data: [DONE]\n\n');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    events.data({ error: error.body });
  }
  events.end();
}

interface Early {
  /** What the final answer adds to what has gone out. */
  rest(last: LiveSearch, result: ClientResult): Delta[];
}

/** Sends what is certain while the search runs. With `refuse` and `escalate` nothing is certain before the end. */
export function watchAnswer(search: LiveSearch, send: (delta: Delta) => void): Early {
  const { plan } = search.facts;
  if (plan.shape?.isCall) return { rest: wordsBeforeCall };
  if (plan.onFutile !== 'answer') return { rest: wholeAnswer };
  return plan.mode === 'direct' ? watchTokens(search, send) : watchTree(search, send);
}

/** The call itself is put together from the whole answer, and goes out with the end. */
function wordsBeforeCall(search: LiveSearch, result: ClientResult): Delta[] {
  const whole = wholeAnswer(search, result);
  return result.outcome.complete ? whole.filter(({ content }) => content === undefined) : whole;
}

function wholeAnswer(_: LiveSearch, { texts }: ClientResult): Delta[] {
  const { content, reasoning_content: reasoning, refusal } = texts;
  return [
    ...(reasoning === null ? [] : [{ reasoning_content: reasoning }]),
    ...(content === null || content === '' ? [] : [{ content }]),
    ...(refusal === null ? [] : [{ refusal }]),
  ];
}

function watchTree(search: LiveSearch, send: (delta: Delta) => void): Early {
  const { plan } = search.facts;
  const shared = new SharedText(search.fold, plan);
  const inline = plan.reasoning === 'inline';
  const toDelta = ({ kind, text }: { kind: 'reasoning' | 'content'; text: string }): Delta =>
    kind === 'content' || inline ? { content: text } : { reasoning_content: text };
  search.listeners.add({
    event: ({ event }) => {
      if (!isFold(event)) return;
      for (const piece of shared.take()) send(toDelta(piece));
    },
  });
  return {
    rest: (last, { outcome }) => {
      const path = chosenPath(plan, last.fold);
      if (!shared.agrees(path)) throw new ApiError('engine_failed', 'the engine failed in the middle of its answer');
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

function progress({ state, fold }: LiveSearch): string {
  const best = fold.bestScore === undefined ? '-' : fold.bestScore.toPrecision(3);
  return `coppice ${state} nodes=${fold.nodes} rollouts=${fold.rollouts} best=${best}`;
}
