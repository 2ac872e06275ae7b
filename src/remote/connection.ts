// One server's address and the way to it: small JSON calls that resolve, and streams that call back as bytes come. A request
// can be destroyed at any moment: that is how work is cancelled. Never retries.

import { type Fault, FaultError, fault, raise } from '../base/fault.ts';
import { liveTimers, type Timers } from '../base/timers.ts';
import { faultOfError, faultOfStatus, type Place } from './failure.ts';
import { HttpTransport, type Transport, type WireHeaders } from './http-transport.ts';

export interface ConnectionOptions {
  readonly url: string;
  readonly apiKey?: string;
  readonly timers?: Timers;
  /** What carries requests; sockets unless given. */
  readonly transport?: Transport;
}

export interface Reply {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: string;
}

interface CallOptions {
  readonly timeoutMs?: number | undefined;
  /** Closes the connection at once. */
  readonly signal?: AbortSignal;
}

interface StreamHandlers {
  /** A 2xx answer has begun. */
  head(headers: WireHeaders): void;
  data(chunk: Uint8Array): void;
  end(): void;
  fail(fault: Fault): void;
}

export interface Stream {
  /** Closes the connection at once; no handler is called afterwards. */
  abort(): void;
}

const defaultTimeoutMs = 10_000;
const replyLimitBytes = 64 * 1024 * 1024;

export class Connection implements Place {
  readonly url: string;
  readonly secrets: readonly string[];
  readonly #transport: Transport;
  readonly #timers: Timers;

  constructor(options: ConnectionOptions) {
    const base = parseUrl(options.url);
    this.url = rootOf(options.url);
    const { username, password } = base;
    const authorization =
      options.apiKey !== undefined
        ? `Bearer ${options.apiKey}`
        : username !== ''
          ? `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`
          : undefined;
    this.#transport =
      options.transport ?? new HttpTransport(base, authorization === undefined ? {} : { authorization });
    this.secrets = [options.apiKey, password, decodeURIComponent(password), authorization?.split(' ')[1]].filter(
      (each): each is string => each !== undefined && each !== '',
    );
    this.#timers = options.timers ?? liveTimers;
  }

  /** A JSON call whose status the caller judges. */
  call(method: 'GET' | 'POST', path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> {
    const { timeoutMs = defaultTimeoutMs, signal } = options;
    return new Promise((resolve, reject) => {
      let chunks: Buffer[] = [];
      let bytes = 0;
      const expired = (): void => {
        request.destroy();
        reject(new FaultError(fault('timeout', `${this.url}${path} did not answer within ${timeoutMs} ms; check url`)));
      };
      const forget = this.#timers.after(timeoutMs, expired);
      signal?.addEventListener('abort', () => {
        forget();
        request.destroy();
        reject(new FaultError(fault('cancelled', 'the request was cancelled')));
      });
      const failed = (error: Error): void => {
        forget();
        reject(new FaultError(faultOfError(this, path, error)));
      };
      const request = this.#transport.open({ method, path, body, headers: {} }, failed, (response) => {
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > replyLimitBytes) response.destroy(new Error(`longer than ${replyLimitBytes} bytes`));
        });
        response.on('error', failed);
        response.on('end', () => {
          forget();
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString() });
          chunks = [];
        });
      });
    });
  }

  /** A JSON call that must succeed; a fault otherwise. */
  async json(method: 'GET' | 'POST', path: string, body?: unknown, options?: CallOptions): Promise<unknown> {
    const reply = await this.call(method, path, body, options);
    if (reply.status < 200 || reply.status > 299) {
      throw new FaultError(faultOfStatus(this, path, reply.status, reply.body));
    }
    try {
      return JSON.parse(reply.body);
    } catch {
      return raise('protocol', `${this.url}${path} answered something that is not JSON; check url`);
    }
  }

  stream(path: string, body: unknown, headers: Readonly<Record<string, string>>, handlers: StreamHandlers): Stream {
    let over = false;
    const once = (act: () => void): void => {
      if (over) return;
      over = true;
      act();
    };
    const failed = (error: Error): void => once(() => handlers.fail(faultOfError(this, path, error)));
    const request = this.#transport.open({ method: 'POST', path, body, headers }, failed, (response) => {
      const status = response.statusCode!;
      if (status < 200 || status > 299) {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          if (text.length < 65_536) text += chunk;
        });
        response.on('end', () => once(() => handlers.fail(faultOfStatus(this, path, status, text))));
        response.on('error', failed);
        return;
      }
      if (!over) handlers.head(response.headers);
      response.on('data', (chunk: Buffer) => {
        if (!over) handlers.data(chunk);
      });
      response.on('error', failed);
      response.on('end', () => once(() => handlers.end()));
    });
    return {
      abort() {
        once(() => {});
        request.destroy();
      },
    };
  }

  close(): void {
    this.#transport.close();
  }
}

/** What a connection calls its server: the same for every way to write one address. Without user and password. */
export function rootOf(url: string): string {
  const { origin, pathname } = parseUrl(url);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

/** The server's root: a trailing `/v1`, as OpenAI clients want it, is taken off. */
function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const shown = text.replace(/\/\/[^@/]*@/, '//***@');
    return raise('bad-setting', `url is '${shown}'; it must be like http://127.0.0.1:8000`);
  }
  url.pathname = url.pathname.replace(/\/(v1\/?)?$/, '/');
  return url;
}
