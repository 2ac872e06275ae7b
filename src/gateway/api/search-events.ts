// `GET /v1/searches/{id}/events`: the log as server-sent events, from the journal and then live. One path for both: a
// reader always reads the journal after the last line it has sent, and is woken when more is safe on disk, so that it can
// neither miss a line nor see one that a crash takes back. A slow reader is simply asked less often.

import { z } from 'zod';
import { FaultError } from '../../base/fault.ts';
import type { Journal } from '../../journal/journal.ts';
import { asApiError, refuse } from '../http/api-error.ts';
import { EventStream } from '../http/event-stream.ts';
import { baseHeaders, type Exchange, goneOf } from '../http/exchange.ts';
import { readQuery } from '../plan/query.ts';
import type { GatewayContext } from './context.ts';
import { readThrough } from './read-through.ts';
import { notFound } from './searches-api.ts';

const pageSize = 500;

/** Wakes the readers of a search when its log has grown. */
export class LogWatchers {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(journal: Journal) {
    journal.listen({ durable: (search) => this.wake(search) });
  }

  wake(search: string): void {
    const waiting = this.#waiting.get(search);
    if (waiting === undefined) return;
    this.#waiting.delete(search);
    for (const wake of waiting) wake();
  }

  wakeAll(): void {
    for (const search of [...this.#waiting.keys()]) this.wake(search);
  }

  /** Resolves at the next sign of life of the search, or when the signal says so. */
  next(search: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(search) ?? new Set();
      this.#waiting.set(search, waiting);
      const done = () => {
        signal.removeEventListener('abort', done);
        waiting.delete(done);
        if (waiting.size === 0 && this.#waiting.get(search) === waiting) this.#waiting.delete(search);
        resolve();
      };
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }
}

export async function searchEvents(context: GatewayContext, exchange: Exchange, watchers: LogWatchers): Promise<void> {
  const { journal, config } = context;
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
  const gone = goneOf(response);
  const { heartbeatMs, streamBytes } = config.server;
  const events = new EventStream(response, { heartbeatMs, limitBytes: streamBytes });
  events.raw('retry: 1000\n\n');
  try {
    await sendLog({ context, watchers, id, events, gone }, after);
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

interface LogReader {
  readonly context: GatewayContext;
  readonly watchers: LogWatchers;
  readonly id: string;
  readonly events: EventStream;
  readonly gone: AbortSignal;
}

/** Waits for what is not on disk yet, or cannot be read now. */
async function sendLog({ context, watchers, id, events, gone }: LogReader, from: number): Promise<void> {
  for (let after = from; !events.closed; ) {
    // Asked for before reading, so that what becomes safe in between is not missed.
    const enough = new AbortController();
    const grown = watchers.next(id, AbortSignal.any([gone, enough.signal]));
    const entries = (await readThrough(() => context.journal.read(id, after, pageSize), gone)) ?? [];
    for (const entry of entries) events.event('entry', entry, entry.sequence);
    after = entries.at(-1)?.sequence ?? after;
    const state = entries.length > 0 ? undefined : await readThrough(() => endedState(context, id), gone);
    if (entries.length === 0 && state === undefined) await grown;
    enough.abort();
    if (state !== undefined) return events.event('end', { state });
    await events.ready();
  }
}

/** Undefined while lines may still come. */
async function endedState({ journal, searches }: GatewayContext, id: string): Promise<string | undefined> {
  const live = searches.find(id);
  if (live !== undefined && live.ended === undefined) return undefined;
  const record = await journal.find(id);
  return record === undefined ? 'gone' : record.endedMs === undefined ? undefined : record.state;
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
