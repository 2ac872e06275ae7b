// One server's address and the sockets to it: small JSON calls that resolve, and streams that call back as bytes come.
// Built on node:http, whose request can be destroyed at any moment: that is how work is cancelled. Never retries, but for
// a kept-alive socket that the server closed just before we wrote to it.

import * as http from 'node:http';
import * as https from 'node:https';
import { type Fault, FaultError, fault, raise } from '../base/fault.ts';
import { liveTimers, type Timers } from '../base/timers.ts';
import { faultOfError, faultOfStatus, type Place } from './failure.ts';

export interface ConnectionOptions {
  readonly url: string;
  readonly apiKey?: string;
  readonly timers?: Timers;
}

export interface Reply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

interface CallOptions {
  readonly timeoutMs?: number | undefined;
  /** Closes the connection at once. */
  readonly signal?: AbortSignal;
}

interface StreamHandlers {
  /** A 2xx answer has begun. */
  head(headers: http.IncomingHttpHeaders): void;
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
  readonly #base: URL;
  readonly #agent: http.Agent;
  readonly #transport: typeof http | typeof https;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #timers: Timers;

  constructor(options: ConnectionOptions) {
    this.#base = parseUrl(options.url);
    this.url = rootOf(options.url);
    this.#transport = this.#base.protocol === 'https:' ? https : http;
    // Sockets are bounded by our own queue, never by the agent: a second queue would hide the first.
    this.#agent = new this.#transport.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
    const { username, password } = this.#base;
    const authorization =
      options.apiKey !== undefined
        ? `Bearer ${options.apiKey}`
        : username !== ''
          ? `Basic ${btoa(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)}`
          : undefined;
    this.#headers = authorization === undefined ? {} : { authorization };
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
      const request = this.#open(method, path, body, {}, failed, (response) => {
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
    const request = this.#open('POST', path, body, headers, failed, (response) => {
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
    this.#agent.destroy();
  }

  #open(
    method: string,
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>>,
    failed: (error: Error) => void,
    answered: (response: http.IncomingMessage) => void,
  ): { destroy(): void } {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    let current: http.ClientRequest;
    let destroyed = false;
    const attempt = (): void => {
      current = this.#transport.request(this.#requestOptions(method, path, headers, payload));
      let responded = false;
      current.on('response', (response) => {
        responded = true;
        answered(response);
      });
      current.on('error', (error: Error & { readonly code?: string }) => {
        const stale = !responded && current.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (stale && !destroyed) attempt();
        else if (!destroyed) failed(error);
      });
      current.end(payload);
    };
    attempt();
    return {
      destroy() {
        destroyed = true;
        current.destroy();
      },
    };
  }

  #requestOptions(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    payload: Buffer | undefined,
  ): http.RequestOptions {
    const { protocol, hostname, port, pathname } = this.#base;
    const content =
      payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(payload.length) };
    return {
      agent: this.#agent,
      method,
      protocol,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: `${pathname.replace(/\/$/, '')}${path}`,
      headers: { ...this.#headers, ...headers, ...content },
    };
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
