// One HTTP request from its arrival to the line in the log: guarded, routed, its caller known, answered by a handler or by the page.
// Handlers throw ApiErrors; anything else that is thrown is a fault of ours, is logged, and tells the client nothing.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyConfig } from '@coppice/core/config';
import type { GatewayContext } from './api/context.ts';
import { errorAt } from './api/dialects.ts';
import { ApiError, asApiError } from './http/api-error.ts';
import { type Exchange, writeError } from './http/exchange.ts';
import { Guard } from './http/guard.ts';
import { type Caller, Keyring } from './http/keys.ts';
import { type Route, Router } from './http/router.ts';
import { StaticFiles } from './http/static-files.ts';
import type { Telemetry } from './observe/traces/telemetry.ts';

interface RequestServerOptions {
  readonly context: GatewayContext;
  readonly routes: readonly Route[];
  readonly telemetry: Telemetry;
  readonly page: string | undefined;
}

/** Known of a request so far, for its line in the log. */
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
  readonly #telemetry: Telemetry;
  readonly #guard: Guard;
  readonly #keyring: Keyring;
  readonly #files: StaticFiles;
  readonly #exchanges = new Set<Exchange>();
  #stopping = false;

  constructor({ context, routes, telemetry, page }: RequestServerOptions) {
    const { config } = context;
    this.#context = context;
    this.#router = new Router(routes);
    this.#telemetry = telemetry;
    this.#guard = new Guard(config);
    this.#keyring = new Keyring(config.keys, config.admission.queue);
    this.#files = new StaticFiles(page);
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
    response.setHeader('x-request-id', id);
    if (this.#stopping) response.setHeader('connection', 'close');
    response.on('close', () => this.#account(request, response, seen));
    try {
      if (this.#guard.admit(request, response) === 'answered') return;
      const [path, query] = splitTarget(request.url ?? '/');
      const match = this.#router.match(request.method ?? 'GET', path);
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
      await this.#telemetry.trace(exchange, route.path, () => this.#handle(route, exchange));
    } catch (error) {
      this.fail(request, response, error);
    }
  }

  fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const known = asApiError(error);
    if (known.code === 'internal' && known !== error && !isDisconnect(error)) {
      this.#context.log.error('internal', { id: String(response.getHeader('x-request-id')), error });
    }
    if (known.status === 429) {
      this.#context.overview.refused += 1;
      this.#context.metrics.refused(known.code);
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // What the client still sends is not wanted: the connection ends with this answer.
    const unread = !request.complete;
    const told = errorAt(request.url ?? '', known.body);
    writeError(response, known, told, unread ? { connection: 'close' } : {});
    if (unread) request.resume();
  }

  /** Answers failures too, so that the span of a request has the status that the client sees. */
  async #handle(route: Route, exchange: Exchange): Promise<void> {
    try {
      await route.handle(exchange);
    } catch (error) {
      this.fail(exchange.request, exchange.response, error);
    }
  }

  #servePage(request: IncomingMessage, response: ServerResponse, path: string): void {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const isPage = reads && !path.startsWith('/v1/');
    if (isPage && this.#files.serve(path, request.method ?? 'GET', response)) return;
    throw new ApiError('not_found', 'there is nothing at this path');
  }

  #account(request: IncomingMessage, response: ServerResponse, { id, startedMs, route, caller, exchange }: Seen): void {
    const ms = performance.now() - startedMs;
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
    });
  }
}

/** What machines ask every few seconds: the state of a probe is in the metrics, and a log of them hides the rest. */
function isProbe(route: string, status: number): boolean {
  return route === '/ready' || route === '/health' || (route === '/metrics' && status === 200);
}

/** The first `?` parts path and query; any other belongs to the query. */
function splitTarget(target: string): [path: string, query: string] {
  const at = target.indexOf('?');
  return at < 0 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
}

/** Anthropic's clients send a key in a header of its own. */
function authorizationOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  return headers.authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined);
}

function isDisconnect(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE' || code === 'ABORT_ERR';
}
