// Handles one HTTP request from arrival to log line: guards, routes, identifies it, and answers by a handler or by the page. Handlers
// throw ApiErrors; any other error is our bug: it is logged, and the client learns nothing of it.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyConfig } from '@coppice/core/config';
import type { GatewayContext } from './api/context.ts';
import { dialectAt } from './api/create.ts';
import { ApiError, asApiError } from './http/api-error.ts';
import { type Exchange, writeError } from './http/exchange.ts';
import { type Guard, guardOf } from './http/guard.ts';
import { type Caller, Keyring } from './http/keys.ts';
import { type Route, type Router, routerOf } from './http/router.ts';
import { staticFiles } from './page/static-files.ts';

interface Seen {
  readonly id: string;
  readonly startedMs: number;
  route: string;
  caller: Caller;
  exchange?: Exchange;
}

const unnamed: Caller = { name: '-', share: 1, maxPriority: 0, queue: 0, admin: false };

export class RequestServer {
  readonly #context: GatewayContext;
  readonly #router: Router;
  readonly #guard: Guard;
  readonly #keyring: Keyring;
  readonly #serveFile: ReturnType<typeof staticFiles>;
  readonly #exchanges = new Set<Exchange>();
  #stopping = false;

  constructor(context: GatewayContext, routes: readonly Route[], page: string | undefined) {
    const { config } = context;
    this.#context = context;
    this.#router = routerOf(routes);
    this.#guard = guardOf(config);
    this.#keyring = new Keyring(config.keys, config.admission.queue);
    this.#serveFile = staticFiles(page);
  }

  stop(): void {
    this.#stopping = true;
  }

  useKeys(keys: readonly KeyConfig[]): readonly string[] {
    return this.#keyring.use(keys);
  }

  exchangesOf(key: string): Exchange[] {
    return [...this.#exchanges].filter(({ caller }) => caller.name === key);
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = `req_${randomBytes(12).toString('hex')}`;
    const seen: Seen = { id, startedMs: performance.now(), route: 'unknown', caller: unnamed };
    // OpenAI's clients read the first, Anthropic's the second.
    for (const name of ['x-request-id', 'request-id']) response.setHeader(name, id);
    if (this.#stopping) response.setHeader('connection', 'close');
    response.on('close', () => this.#account(request, response, seen));
    try {
      if (this.#guard(request, response) === 'answered') return;
      const [path, query] = splitTarget(request.url ?? '/');
      const match = this.#router(request.method ?? 'GET', path);
      seen.route = match?.route.path ?? 'page';
      if (match === undefined) return this.#servePage(request, response, path);
      const caller = match.route.open ? unnamed : this.#keyring.identify(authorizationOf(request));
      seen.caller = caller;
      if (this.#stopping && request.method === 'POST')
        throw new ApiError('shutting_down', 'the server is shutting down', { retryAfterSeconds: 5 });
      const { route, parameters } = match;
      const exchange = { id, request, response, caller, parameters, query: new URLSearchParams(query) };
      seen.exchange = exchange;
      this.#exchanges.add(exchange);
      response.on('close', () => this.#exchanges.delete(exchange));
      await route.handle(exchange);
    } catch (error) {
      this.fail(request, response, error);
    }
  }

  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const known = asApiError(error);
    if (known.code === 'internal' && known !== error && !isDisconnect(error)) {
      this.#context.log.error('internal', { id: String(response.getHeader('x-request-id')), error });
    }
    if (known.status === 429) this.#context.metrics.refused(known.code);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // The rest of an unread body is not wanted: the connection ends with this answer.
    const unread = !request.complete;
    const told = dialectAt(request.url ?? '').error(known.body);
    writeError(response, known, told, unread ? { connection: 'close' } : {});
    if (unread) request.resume();
  }

  #servePage(request: IncomingMessage, response: ServerResponse, path: string): void {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const isPage = reads && !path.startsWith('/v1/');
    if (isPage && this.#serveFile(path, request.method ?? 'GET', response)) return;
    throw new ApiError('not_found', 'there is nothing at this path');
  }

  #account(request: IncomingMessage, response: ServerResponse, { id, startedMs, route, caller, exchange }: Seen): void {
    const ms = performance.now() - startedMs;
    const trace = traceOf(request);
    const status = response.writableFinished ? response.statusCode : 499;
    const { log, metrics } = this.#context;
    metrics.request(route, status, ms);
    log[isProbe(route, status) ? 'debug' : 'info']('request', {
      id,
      method: String(request.method).slice(0, 16),
      route,
      status,
      ms: Math.round(ms * 10) / 10,
      key: caller.name,
      ...(exchange?.search === undefined ? {} : { search: exchange.search }),
      ...(trace && { trace }),
    });
  }
}

/** Probes come every few seconds; logging them at `info` would hide the rest. */
function isProbe(route: string, status: number): boolean {
  return route === '/ready' || route === '/health' || (route === '/metrics' && status === 200);
}

function splitTarget(target: string): [path: string, query: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

/** Anthropic's clients send the key as `x-api-key`. */
function authorizationOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  return headers.authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined);
}

/** Id of the client's trace (W3C `traceparent`), by which a collector joins the log line to the trace. */
function traceOf({ headers }: IncomingMessage): string | undefined {
  return /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(String(headers.traceparent))?.[1];
}

function isDisconnect(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE' || code === 'ABORT_ERR';
}
