// A search told to one client by a teller: whole or as a stream, from the live search, or from the journal where clients may read it
// again. What comes from the journal goes out only when it is on disk.

import type { ServerResponse } from 'node:http';
import { FaultError } from '../../base/fault.ts';
import type { StreamFrame, Teller } from '../dialects/dialect.ts';
import { asApiError } from '../http/api-error.ts';
import { EventStream } from '../http/event-stream.ts';
import { goneOf, writeJson } from '../http/exchange.ts';
import { endOfRecord, type ToldEnd } from '../result/told-end.ts';
import type { LiveSearch } from '../searches/live-search.ts';
import { endOfLive, requireResult } from '../searches/search-end.ts';
import type { GatewayContext } from './context.ts';
import { endOnRecord } from './end-on-record.ts';

/** What the journal holds of a search that was accepted a moment ago. */
const accepted: ToldEnd = { state: 'queued', outcome: undefined, texts: undefined, error: undefined };

export function answerAccepted(response: ServerResponse, teller: Teller): void {
  writeJson(response, 200, teller.answer(accepted));
}

export async function answerWhole(
  context: GatewayContext,
  response: ServerResponse,
  teller: Teller,
  search: LiveSearch,
  isStored: boolean,
): Promise<void> {
  follow(search, teller, () => {});
  const last = await search.wait();
  requireResult(last);
  const end = isStored ? endOfRecord(await endOnRecord(context, response, search.id)) : endOfLive(last);
  writeJson(response, 200, teller.answer(end));
}

export async function streamLive(
  context: GatewayContext,
  response: ServerResponse,
  teller: Teller,
  search: LiveSearch,
): Promise<void> {
  const events = open(context, response, teller);
  const say = (frames: readonly StreamFrame[]) => {
    for (const frame of frames) send(events, frame);
  };
  say(teller.begin());
  follow(search, teller, say);
  const last = await search.wait();
  if (events.closed) return;
  say(teller.end(endOfLive(last)));
  events.end();
}

/** `after`: the number of the last frame that the client has. */
export async function streamStored(
  context: GatewayContext,
  response: ServerResponse,
  teller: Teller,
  id: string,
  after = -1,
): Promise<void> {
  const gone = goneOf(response);
  const events = open(context, response, teller);
  for await (const frame of storedFrames(context, teller, id, gone)) {
    if (frame.sequence === undefined || frame.sequence > after) send(events, frame);
    await events.ready();
  }
  if (!events.closed) events.end();
}

/** Nothing of the log of a search that has just been started has been missed. */
function follow(search: LiveSearch, teller: Teller, say: (frames: readonly StreamFrame[]) => void): void {
  const { event, token } = teller;
  if (event === undefined && token === undefined) return;
  if (event !== undefined) for (const entry of search.unwritten) say(event(entry));
  search.listeners.add({
    ...(event && { event: (entry) => say(event(entry)) }),
    ...(token && { token: (each) => say(token(each)) }),
  });
}

/** From the first, up to the last word; waits for what is not on disk yet, or cannot be read now. */
async function* storedFrames(
  context: GatewayContext,
  teller: Teller,
  id: string,
  gone: AbortSignal,
): AsyncGenerator<StreamFrame> {
  yield* teller.begin();
  try {
    yield* loggedFrames(context, teller, id, gone);
  } catch (error) {
    if (!(error instanceof FaultError) || error.fault.code !== 'damaged') throw error;
    yield* teller.end({ state: 'failed', outcome: undefined, texts: undefined, error: asApiError(error).body });
  }
}

async function* loggedFrames(
  { watchers, searches }: GatewayContext,
  teller: Teller,
  id: string,
  gone: AbortSignal,
): AsyncGenerator<StreamFrame> {
  for (let after = -1; ; ) {
    const page = await watchers.page(id, after, gone, () => searches.find(id) !== undefined);
    if (page === undefined) return;
    for (const entry of page.entries) yield* teller.event?.(entry) ?? [];
    after = page.entries.at(-1)?.sequence ?? after;
    if (page.record !== undefined) yield* teller.end(endOfRecord(page.record));
    if (page.entries.length === 0) return;
  }
}

function open({ limits }: GatewayContext, response: ServerResponse, { heartbeat }: Teller): EventStream {
  const { heartbeatMs, streamBytes } = limits;
  return new EventStream(response, { heartbeatMs, limitBytes: streamBytes, ...(heartbeat && { heartbeat }) });
}

function send(events: EventStream, { event, data }: StreamFrame): void {
  if (typeof data === 'string') events.raw(`data: ${data}\n\n`);
  else if (event === undefined) events.data(data);
  else events.event(event, data);
}
