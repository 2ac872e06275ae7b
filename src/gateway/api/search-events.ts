// `GET /v1/searches/{id}/events`: the log as server-sent events, from the journal and then live. One path for both: a
// reader always reads the journal after the last line it has sent, and is woken when more is safe on disk, so that it can
// neither miss a line nor see one that a crash takes back. A slow reader holds one entry; the journal is read again when it has room.

import { z } from 'zod';
import { FaultError } from '../../base/fault.ts';
import { nextSlice } from '../../base/slices.ts';
import { eventsIn, type LogEntry } from '../../log/entry.ts';
import type { LogWatchers } from '../follow/log-watchers.ts';
import { asApiError, refuse } from '../http/api-error.ts';
import { readQuery } from '../http/checked-input.ts';
import { type EventStream, openEvents } from '../http/event-stream.ts';
import { baseHeaders, type Exchange } from '../http/exchange.ts';
import type { GatewayContext } from './context.ts';
import { notFound } from './searches-api.ts';

export async function searchEvents(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { journal } = context;
  const { caller, response } = exchange;
  const id = exchange.parameters.id ?? '';
  const record = await journal.find(id);
  if (record === undefined || (!caller.admin && record.owner !== caller.name)) throw notFound(id);
  const after = resumePoint(exchange);
  if (record.endedMs !== undefined && after >= 0 && (await journal.read(id, after, 1)).length === 0) {
    response.writeHead(204, baseHeaders);
    response.end();
    return;
  }
  const release = context.streams.take();
  const events = openEvents(context.limits, response);
  events.raw('retry: 1000\n\n');
  try {
    await sendLog(context, id, after, events);
  } catch (error) {
    if (!(error instanceof FaultError) || error.fault.code !== 'damaged') throw error;
    // A reader that came back would find the same: told as an end, it does not.
    context.log.error('journal', { search: id, message: error.fault.message });
    events.event('end', { state: 'failed', error: asApiError(error).body });
  } finally {
    release();
    if (!events.closed) events.end();
  }
}

async function sendLog({ watchers }: GatewayContext, id: string, from: number, events: EventStream): Promise<void> {
  for (let after: number | undefined = from; after !== undefined; ) {
    await events.ready();
    // SQLite reads without waiting: a page is a slice.
    await nextSlice();
    after = await sendPage(watchers, id, after, events);
  }
}

/**
 * Waits for what is not on disk yet, or cannot be read now. Gives the number of the last entry that it sent, undefined at the end. What
 * the reader has no room for is read again when it has, and held by nothing meanwhile.
 */
async function sendPage(
  watchers: LogWatchers,
  id: string,
  after: number,
  events: EventStream,
): Promise<number | undefined> {
  const page = await watchers.page(id, after, events.gone);
  if (page === undefined) return undefined;
  let sent: number | undefined;
  for (const entry of page.entries) {
    sendEntry(entry, events);
    sent = entry.sequence;
    if (events.behind) break;
  }
  if (sent === undefined) events.event('end', { state: page.record?.state ?? 'gone' });
  return sent;
}

/** Event by event. The last one alone has an id: a reader whose connection broke in the middle gets the entry again. */
function sendEntry(entry: LogEntry, events: EventStream): void {
  const all = eventsIn(entry);
  for (const [at, event] of all.entries()) {
    events.event('entry', event, at === all.length - 1 ? entry.sequence : undefined);
  }
}

export const eventsQuery = z.object({ after: z.int().min(-1).default(-1) });

function resumePoint({ request, query }: Exchange): number {
  const given = request.headers['last-event-id'];
  if (given === undefined) return readQuery(eventsQuery, query).after;
  if (given === '') return -1;
  const after = Number(given);
  if (!Number.isInteger(after) || after < -1)
    refuse('invalid_value', 'Last-Event-ID must be the id of an event: a whole number', 'after');
  return after;
}
