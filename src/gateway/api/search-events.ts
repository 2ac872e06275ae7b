// `GET /v1/searches/{id}/events`: the log as server-sent events, from the journal and then live. One path for both: a
// reader always reads the journal after the last line it has sent, and is woken when more is safe on disk, so that it can
// neither miss a line nor see one that a crash takes back. A slow reader is simply asked less often.

import { z } from 'zod';
import { refuse } from '../http/api-error.ts';
import { EventStream } from '../http/event-stream.ts';
import { baseHeaders, type Exchange } from '../http/exchange.ts';
import { readQuery } from '../plan/query.ts';
import type { GatewayContext } from './context.ts';
import { notFound } from './searches-api.ts';

const pageSize = 500;

export async function searchEvents(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { journal, config, watchers } = context;
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
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const growth = (enough: AbortSignal) => watchers.next(id, AbortSignal.any([gone.signal, enough]));
  const { heartbeatMs, streamBytes } = config.server;
  const events = new EventStream(response, { heartbeatMs, limitBytes: streamBytes });
  events.raw('retry: 1000\n\n');
  try {
    await sendLog(context, id, after, events, growth);
  } finally {
    release();
    if (!events.closed) events.end();
  }
}

async function sendLog(
  context: GatewayContext,
  id: string,
  from: number,
  events: EventStream,
  growth: (enough: AbortSignal) => Promise<void>,
): Promise<void> {
  for (let after = from; !events.closed; ) {
    // Asked for before reading, so that what becomes safe in between is not missed.
    const enough = new AbortController();
    const grown = growth(enough.signal);
    const entries = await context.journal.read(id, after, pageSize);
    for (const entry of entries) events.event('entry', entry, entry.sequence);
    after = entries.at(-1)?.sequence ?? after;
    const state = entries.length > 0 ? undefined : await endedState(context, id, after);
    if (entries.length === 0 && state === undefined) await grown;
    enough.abort();
    if (state !== undefined) return events.event('end', { state });
    await events.ready();
  }
}

/** Undefined while lines may still come: the last ones may have been written together with the end. */
async function endedState({ journal }: GatewayContext, id: string, after: number): Promise<string | undefined> {
  const record = await journal.find(id);
  if (record === undefined) return 'gone';
  const isOver = record.endedMs !== undefined && (await journal.read(id, after, 1)).length === 0;
  return isOver ? record.state : undefined;
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
