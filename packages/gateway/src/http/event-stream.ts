// Writes server-sent events to one response. A writer waits for a slow reader between events (`ready`), or skips frames that the next one
// replaces (`behind`). Memory stays bounded.

import type { ServerResponse } from 'node:http';
import { ApiError } from './api-error.ts';
import { probe } from './connections.ts';
import { baseHeaders, goneOf, roomIn } from './exchange.ts';
import type { FixedLimits } from './fixed-limits.ts';

export class EventStream {
  readonly gone: AbortSignal;
  readonly #response: ServerResponse;
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(
    response: ServerResponse,
    { heartbeatMs }: Pick<FixedLimits, 'heartbeatMs'>,
    onSilence: (stream: EventStream) => void = (stream) => stream.comment('heart-beat'),
  ) {
    this.#response = response;
    this.gone = goneOf(response);
    response.writeHead(200, {
      ...baseHeaders,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // Keeps nginx from buffering the stream.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    this.#timer = setInterval(() => this.behind || onSilence(this), heartbeatMs);
    // The response forgets its socket at its end; the socket may serve the next request.
    const { socket } = response;
    response.on('close', () => {
      this.#stop();
      socket?.off('end', this.#probe);
    });
    if (socket?.readableEnded) this.#probe();
    else socket?.once('end', this.#probe);
  }

  get closed(): boolean {
    return this.#closed;
  }

  get behind(): boolean {
    return this.#response.writableNeedDrain;
  }

  event(name: string, value: unknown, id?: number): void {
    this.raw(eventText(name, JSON.stringify(value), id));
  }

  frame({ event, data }: { readonly event?: string; readonly data: object | string }): void {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    this.raw(event === undefined ? `data: ${text}\n\n` : `event: ${event}\ndata: ${text}\n\n`);
  }

  raw(text: string): void {
    if (this.#closed) return;
    this.#timer.refresh();
    this.#response.write(text);
  }

  ready(): Promise<void> {
    return roomIn(this.#response);
  }

  end(): void {
    this.#stop();
    this.#response.end();
  }

  comment(text: string): void {
    this.raw(`: ${text.replace(/[\r\n]+/g, ' ')}\n\n`);
  }

  /** For a client that has closed its sending side: it still reads, or is gone. */
  readonly #probe = (): void => probe(this.#response, () => this.comment('are you there?'));

  #stop(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }
}

export function eventText(name: string, json: string, id?: number): string {
  const line = id === undefined ? '' : `id: ${id}\n`;
  return `${line}event: ${name}\ndata: ${json}\n\n`;
}

/** Bounds event streams and waiting answers. Refuses at once; no request waits for a permit. */
export class StreamSemaphore {
  readonly #limit: number;
  #open = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take(): () => void {
    if (this.#open >= this.#limit) {
      const message = `${this.#open} streams are open, the limit (server.streams)`;
      throw new ApiError('too_many_streams', message, { retryAfterSeconds: 5 });
    }
    this.#open += 1;
    let held = true;
    return () => {
      if (held) this.#open -= 1;
      held = false;
    };
  }
}
