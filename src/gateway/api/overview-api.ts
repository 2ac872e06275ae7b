// `GET /v1/overview` and its stream. One timer serves all readers, and stands still while there are none.

import type { Plain } from '../../journal/journal.ts';
import { EventStream } from '../http/event-stream.ts';
import { type Exchange, writeJson } from '../http/exchange.ts';
import type { Caller } from '../http/keys.ts';
import type { GatewayContext } from './context.ts';

const frameMs = 1000;

export class OverviewApi {
  readonly #context: GatewayContext;
  readonly #readers = new Map<EventStream, Caller>();
  #timer: NodeJS.Timeout | undefined;
  #frames = 0;

  constructor(context: GatewayContext) {
    this.#context = context;
  }

  read({ response, caller }: Exchange): void {
    writeJson(response, 200, visibleTo(caller, this.#frame()));
  }

  follow({ response, caller }: Exchange): void {
    const release = this.#context.streams.take();
    const { heartbeatMs, streamBytes } = this.#context.config.server;
    const events = new EventStream(response, { heartbeatMs, limitBytes: streamBytes });
    this.#readers.set(events, caller);
    response.on('close', () => {
      release();
      this.#readers.delete(events);
      if (this.#readers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    events.raw('retry: 1000\n\n');
    events.event('overview', visibleTo(caller, this.#frame()), this.#frames);
    this.#timer ??= setInterval(() => this.#tick(), frameMs);
  }

  close(): void {
    clearInterval(this.#timer);
    for (const events of this.#readers.keys()) events.end();
  }

  #tick(): void {
    const frame = this.#frame();
    for (const [events, caller] of this.#readers) {
      if (!events.behind) events.event('overview', visibleTo(caller, frame), this.#frames);
    }
  }

  #frame(): Plain {
    this.#frames += 1;
    const { overview, searches, config } = this.#context;
    return overview.frame(searches, config.admission.queue);
  }
}

/** Only an admin key sees the searches of others; the sums are for everyone. */
function visibleTo({ admin }: Caller, frame: Plain): Plain {
  if (admin) return frame;
  const { running } = frame.searches as { running: number };
  return { ...frame, searches: { running, listed: [] } };
}
