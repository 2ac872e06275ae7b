// `GET /v1/searches/{id}/events`: the log as server-sent events, from the journal and then live. One path for both: a
// reader always reads the journal after the last line it has sent, and is woken when more is safe on disk, so that it can
// neither miss a line nor see one that a crash takes back. A slow reader is simply asked less often.

import type { Journal } from '../journal/journal.ts';
import { refuse } from './api-error.ts';
import type { GatewayContext } from './context.ts';
import { EventStream } from './event-stream.ts';
import { baseHeaders, type Exchange } from './exchange.ts';
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
  let after = resumePoint(exchange);
  if (record.endedMs !== undefined && after >= 0 && (await journal.read(id, after, 1)).length === 0) {
    response.writeHead(204, baseHeaders);
    response.end();
    return;
  }
  const release = context.streams.take();
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const events = new EventStream(response, {
    heartbeatMs: config.server.heartbeatMs,
    limitBytes: config.server.streamBytes,
  });
  events.raw('retry: 1000\n\n');
  try {
    while (!events.closed) {
      // Asked for before reading, so that what becomes safe in between is not missed.
      const next = new AbortController();
      const growth = watchers.next(id, AbortSignal.any([gone.signal, next.signal]));
      const entries = await journal.read(id, after, pageSize);
      for (const entry of entries) events.event('entry', entry, entry.sequence);
      after = entries.at(-1)?.sequence ?? after;
      if (entries.length > 0) {
        next.abort();
        await events.ready();
        continue;
      }
      const state = await endedState(context, id);
      if (state !== undefined) {
        next.abort();
        events.event('end', { state });
        break;
      }
      await growth;
    }
  } finally {
    release();
    if (!events.closed) events.end();
  }
}

/** Undefined while lines may still come. */
async function endedState({ journal, searches }: GatewayContext, id: string): Promise<string | undefined> {
  const live = searches.find(id);
  if (live !== undefined && live.ended === undefined) return undefined;
  const record = await journal.find(id);
  return record === undefined ? 'gone' : record.endedMs === undefined ? undefined : record.state;
}

function resumePoint({ request, query }: Exchange): number {
  const given = request.headers['last-event-id'] ?? query.get('after');
  if (given === undefined || given === null || given === '') return -1;
  const after = Number(given);
  if (!Number.isInteger(after) || after < -1)
    refuse('invalid_value', 'Last-Event-ID must be the id of an event: a whole number', 'after');
  return after;
}
