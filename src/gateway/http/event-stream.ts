// Server-sent events over one response, with back-pressure: where a reader falls behind, a caller that can wait waits
// (`ready`), frames that the next one replaces are left out (`behind`), and a reader whose unread bytes pass the limit is
// cut off. Memory stays bounded.

import type { ServerResponse } from 'node:http';
import { baseHeaders, goneOf } from './exchange.ts';
import type { FixedLimits } from './fixed-limits.ts';
import { probe } from './half-closed.ts';

interface EventStreamOptions {
  readonly heartbeatMs: number;
  /** Unread bytes before the client counts as gone. */
  readonly limitBytes: number;
  /** The text of a heart-beat comment. */
  readonly heartbeat?: (() => string) | undefined;
}

export class EventStream {
  /** Aborted when the connection is closed, by either side. */
  readonly gone: AbortSignal;
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  readonly #timer: NodeJS.Timeout;
  #closed = false;

  constructor(response: ServerResponse, options: EventStreamOptions, headers: Readonly<Record<string, string>> = {}) {
    this.#response = response;
    this.gone = goneOf(response);
    this.#options = options;
    response.writeHead(200, {
      ...baseHeaders,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      // Asks nginx and its like not to gather the stream.
      'x-accel-buffering': 'no',
      ...headers,
    });
    response.flushHeaders();
    response.socket?.setNoDelay(true);
    this.#timer = setInterval(() => this.#beat(), options.heartbeatMs);
    // The response forgets its socket when it has ended; the socket may go on to the next request.
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

  /** Bytes wait for the reader: what can be left out should be. */
  get behind(): boolean {
    return this.#response.writableNeedDrain;
  }

  data(value: unknown): void {
    this.#write(`data: ${JSON.stringify(value)}\n\n`);
  }

  event(name: string, value: unknown, id?: number): void {
    const line = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`${line}event: ${name}\ndata: ${JSON.stringify(value)}\n\n`);
  }

  /** As a dialect tells it: text goes out as it is. */
  frame({ event, data }: { readonly event?: string; readonly data: object | string }): void {
    if (typeof data === 'string') this.raw(`data: ${data}\n\n`);
    else if (event === undefined) this.data(data);
    else this.event(event, data);
  }

  raw(text: string): void {
    this.#write(text);
  }

  comment(text: string): void {
    this.#write(`: ${text.replace(/[\r\n]+/g, ' ')}\n\n`);
  }

  /** Resolves when the reader has caught up, or is gone. */
  async ready(): Promise<void> {
    if (!this.behind || this.#closed) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#response.off('drain', done);
        this.#response.off('close', done);
        resolve();
      };
      this.#response.on('drain', done);
      this.#response.on('close', done);
    });
  }

  end(): void {
    this.#stop();
    this.#response.end();
  }

  #write(text: string): void {
    if (this.#closed) return;
    this.#timer.refresh();
    this.#response.write(text);
    if (this.#response.writableLength > this.#options.limitBytes) this.#response.destroy();
  }

  #beat(): void {
    if (this.behind) return;
    this.comment(this.#options.heartbeat?.() ?? 'heart-beat');
  }

  /** The client has closed its sending side: it reads on, or is gone. */
  readonly #probe = (): void => probe(this.#response, () => this.comment('are you there?'));

  #stop(): void {
    this.#closed = true;
    clearInterval(this.#timer);
  }
}

export function openEvents(
  { heartbeatMs, streamBytes }: Pick<FixedLimits, 'heartbeatMs' | 'streamBytes'>,
  response: ServerResponse,
  heartbeat?: () => string,
): EventStream {
  return new EventStream(response, { heartbeatMs, limitBytes: streamBytes, heartbeat });
}
