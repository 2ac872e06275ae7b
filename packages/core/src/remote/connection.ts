// A server's address and the way to it: JSON calls and streams. Destroying a request cancels its work. Never retries.

import { liveTimers, type Timers } from '../base/clock.ts';
import { type Fault, FaultError, fault, raise } from '../base/fault.ts';
import { BoundedBody, tooMuch } from './bounded-body.ts';
import { faultOfError, faultOfStatus, type Place } from './failure.ts';
import { HttpTransport, type Transport, type WireHeaders, type WireResponse } from './http-transport.ts';
import { parseJson } from './json.ts';

export interface ConnectionOptions {
  readonly url: string;
  readonly apiKey?: string | undefined;
  readonly timers?: Timers | undefined;
  readonly transport?: Transport | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: WireHeaders;
  readonly body: string;
}

interface CallOptions {
  readonly timeoutMs?: number | undefined;
  readonly limitBytes?: number;
  readonly signal?: AbortSignal;
}

interface StreamHandlers {
  head(headers: WireHeaders): void;
  data(chunk: Uint8Array): void;
  end(): void;
  fail(fault: Fault): void;
}

export interface Stream {
  abort(): void;
}

const defaultTimeoutMs = 10_000;
export const usualBytes = 2 * 1024 * 1024;
const refusalBytes = 65_536;

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

  /** The caller judges the status. Of a refusal only the beginning is read. */
  call(method: 'GET' | 'POST', path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> {
    const { timeoutMs = defaultTimeoutMs, limitBytes = usualBytes, signal } = options;
    return new Promise((resolve, reject) => {
      const fail = (reason: Fault): void => {
        forget();
        request.destroy();
        reject(new FaultError(reason));
      };
      const forget = this.#timers.after(timeoutMs, () =>
        fail(fault('timeout', `${this.url}${path} did not answer within ${timeoutMs} ms; check url`)),
      );
      signal?.addEventListener('abort', () => fail(fault('cancelled', 'the request was cancelled')));
      const failed = (error: Error): void => fail(faultOfError(this, path, error));
      const request = this.#transport.open({ method, path, body, headers: {} }, failed, (response) => {
        const { statusCode: status = 0, headers } = response;
        const isRefused = !isSuccess(status);
        collect(response, isRefused ? refusalBytes : limitBytes, (body, isWhole) => {
          if (!isWhole && !isRefused) return fail(tooMuch(`${this.url}${path}`, limitBytes));
          forget();
          resolve({ status, headers, body });
          if (!isWhole) request.destroy();
        });
        response.on('error', failed);
      });
    });
  }

  async json(method: 'GET' | 'POST', path: string, body?: unknown, options?: CallOptions): Promise<unknown> {
    const reply = await this.call(method, path, body, options);
    if (!isSuccess(reply.status)) throw new FaultError(faultOfStatus(this, path, reply.status, reply.body));
    return parseJson(reply.body, `what ${this.url}${path} answered`);
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
      const { statusCode: status = 0 } = response;
      response.on('error', failed);
      if (!isSuccess(status))
        return collect(response, refusalBytes, (said, isWhole) => {
          once(() => handlers.fail(faultOfStatus(this, path, status, said)));
          if (!isWhole) request.destroy();
        });
      if (!over) handlers.head(response.headers);
      response.on('data', (chunk: Buffer) => over || handlers.data(chunk));
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

/** Reads up to a limit; a longer body is told without its end. */
function collect(response: WireResponse, limitBytes: number, read: (body: string, isWhole: boolean) => void): void {
  const kept = new BoundedBody(limitBytes);
  let isOver = false;
  const end = (isWhole: boolean): void => {
    if (!isOver) read(kept.text(), isWhole);
    isOver = true;
  };
  response.on('data', (piece: Buffer) => isOver || kept.add(piece) || end(false));
  response.on('end', () => end(true));
}

function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** The same for every way to write one address, without user and password. */
export function rootOf(url: string): string {
  const { origin, pathname } = parseUrl(url);
  return `${origin}${pathname.replace(/\/$/, '')}`;
}

/** Takes off a trailing `/v1`. */
function parseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return raise('bad-setting', `url is '${withoutUser(text)}'; it must be like http://127.0.0.1:8000`);
  }
  url.pathname = url.pathname.replace(/\/(v1\/?)?$/, '/');
  return url;
}

export function withoutUser(url: string): string {
  return url.replace(/\/\/[^@/]*@/, '//***@');
}
