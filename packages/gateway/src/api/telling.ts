// Sends a search to one client, whole or as a stream: from the live search, or from the journal if clients may read it again. What comes
// from the journal is durable.

import type { ServerResponse } from 'node:http';
import { isFault, nextSlice } from '@coppice/core/base';
import type { SearchRecord } from '@coppice/core/journal';
import { eventsIn, type LoggedEvent } from '@coppice/core/log';
import type { Token } from '@coppice/core/runtime';
import type { StreamFrame, Teller } from '../dialects/dialect.ts';
import { readThrough } from '../follow/log-watchers.ts';
import { ApiError, asApiError, journalTrouble } from '../http/api-error.ts';
import type { EventStream } from '../http/event-stream.ts';
import { goneOf } from '../http/exchange.ts';
import { endOfRecord, successorIn, type ToldEnd } from '../result/told-end.ts';
import { type LiveSearch, readBack } from '../searches/live-search.ts';
import { endOfLive, requireResult } from '../searches/search-end.ts';
import { verdictHeader } from '../wire/reply-json.ts';
import type { GatewayContext } from './context.ts';

export const accepted: ToldEnd = { state: 'queued', outcome: undefined, texts: undefined, error: undefined };

export async function wholeAnswer(
  context: GatewayContext,
  response: ServerResponse,
  teller: Teller,
  search: LiveSearch,
  isStored: boolean,
): Promise<unknown> {
  follow(search, teller, (heard) => 'event' in heard && teller.event?.(heard.event));
  const last = await search.wait();
  const verdict = last.ended?.result?.outcome.verdict;
  if (verdict !== undefined && !response.headersSent) response.setHeader(verdictHeader, verdict);
  requireResult(last);
  if (last !== search) teller.takeOver?.(last);
  if (!isStored) return teller.answer(endOfLive(last));
  const record = await endOnRecord(context, response, search.id);
  return teller.answer(endOfRecord(last === search ? record : await endOnRecord(context, response, last.id)));
}

export async function streamLive(events: EventStream, teller: Teller, search: LiveSearch): Promise<void> {
  for await (const frame of liveFrames(events, teller, search)) {
    events.frame(frame);
    await events.ready();
    if (events.closed) return;
  }
  events.end();
}

export async function streamStored(
  context: GatewayContext,
  events: EventStream,
  teller: Teller,
  id: string,
  after = -1,
): Promise<void> {
  for await (const frame of storedFrames(context, teller, id, events.gone)) {
    if (frame.sequence === undefined || frame.sequence > after) events.frame(frame);
    await events.ready();
  }
  if (!events.closed) events.end();
}

type Heard = { readonly event: LoggedEvent } | { readonly token: Token };

/**
 * Yields frames at the reader's pace. While the reader is behind, events are kept and tokens of one generation are
 * joined into one text: memory holds no more than the answer itself.
 */
async function* liveFrames(events: EventStream, teller: Teller, search: LiveSearch): AsyncGenerator<StreamFrame> {
  yield* teller.begin();
  let kept: Heard[] = [];
  let wake = () => {};
  follow(search, teller, (heard) => {
    const last = events.behind ? kept.at(-1) : undefined;
    const joined = last && joinTokens(last, heard);
    if (joined === undefined) kept.push(heard);
    else kept[kept.length - 1] = joined;
    wake();
  });
  let end: LiveSearch | undefined;
  void search.wait().then((last) => {
    end = last;
    wake();
  });
  while (end === undefined || kept.length > 0) {
    const taken = kept;
    kept = [];
    for (const heard of taken)
      yield* ('event' in heard ? teller.event?.(heard.event) : teller.token?.(heard.token)) ?? [];
    if (end !== undefined || kept.length > 0) continue;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  if (end !== search) yield* teller.takeOver?.(end) ?? [];
  yield* teller.end(endOfLive(end));
}

function joinTokens(last: Heard, next: Heard): Heard | undefined {
  if ('event' in last || 'event' in next) return undefined;
  const isSame = last.token.node === next.token.node && last.token.index === next.token.index;
  return isSame ? { token: { ...last.token, text: last.token.text + next.token.text } } : undefined;
}

/** Must be called right after the start: earlier entries would be missed. */
function follow(search: LiveSearch, { event, token }: Teller, hear: (heard: Heard) => void): void {
  if (event === undefined && token === undefined) return;
  if (event !== undefined) for (const each of search.unwritten.flatMap(eventsIn)) hear({ event: each });
  search.listeners.add({
    ...(event && { event: (each) => hear({ event: each }) }),
    ...(token && { token: (each) => hear({ token: each }) }),
  });
}

/** Yields all frames, a successor's included; waits for entries that are not yet durable or readable. */
async function* storedFrames(
  { watchers, searches, journal }: GatewayContext,
  teller: Teller,
  id: string,
  gone: AbortSignal,
): AsyncGenerator<StreamFrame> {
  yield* teller.begin();
  try {
    let record: SearchRecord | undefined;
    for (let after = -1; record === undefined; ) {
      const page = await watchers.page(id, after, gone, () => searches.find(id) !== undefined);
      if (page === undefined || (page.entries.length === 0 && page.record === undefined)) return;
      for (const event of page.entries.flatMap(eventsIn)) yield* teller.event?.(event) ?? [];
      after = page.entries.at(-1)?.sequence ?? after;
      await nextSlice();
      record = page.record;
    }
    const next = successorIn(record);
    const last = next === undefined ? undefined : await watchers.ended(next, gone);
    const search = last && (await readThrough(() => readBack(journal, last), gone));
    if (gone.aborted) return;
    if (search !== undefined) yield* teller.takeOver?.(search) ?? [];
    yield* teller.end(endOfRecord(last ?? record));
  } catch (error) {
    if (!isFault(error, 'damaged')) throw error;
    yield* teller.end({ ...accepted, state: 'failed', error: asApiError(error).body });
  }
}

const notWritten = 'the search has ended, but its end cannot be written now; read it later by its id';

/**
 * Resolves to the record of an ended search, final cost included: the client is told what every later reader finds.
 * Waits as long as the client does, or until the only journal fails.
 */
export async function endOnRecord(
  { journal, watchers, cluster }: GatewayContext,
  response: ServerResponse,
  id: string,
): Promise<SearchRecord> {
  const isHopeless = () => cluster === undefined && journal.trouble !== undefined;
  const record = await watchers.ended(id, goneOf(response), isHopeless);
  if (record !== undefined) return record;
  if (isHopeless()) throw journalTrouble(notWritten);
  throw new ApiError('not_found', `there is no search '${id}' any more`);
}
