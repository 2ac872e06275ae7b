// The HTTP server: accepts, guards, routes and answers; owns start and end of everything below it. Handlers throw
// ApiErrors; anything else that is thrown is a fault of ours, is logged, and tells the client nothing.

import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { FaultError, fault } from '../base/fault.ts';
import type { Config } from '../config/schema.ts';
import type { Journal } from '../journal/journal.ts';
import { systemClock } from '../runtime/live.ts';
import { ApiError } from './api-error.ts';
import { chat } from './chat.ts';
import { type GatewayContext, StreamLimit } from './context.ts';
import { type Exchange, writeError, writeJson } from './exchange.ts';
import { Guard } from './guard.ts';
import { type Caller, Keyring } from './keys.ts';
import type { LiveSearch } from './live-search.ts';
import type { Log } from './log.ts';
import { Metrics } from './metrics.ts';
import { Overview } from './overview.ts';
import { OverviewFeed } from './overview-api.ts';
import { type Match, type Route, Router } from './router.ts';
import { LogWatchers, searchEvents } from './search-events.ts';
import { Searches } from './searches.ts';
import { cancelSearch, createSearch, listSearches, readSearch } from './searches-api.ts';
import type { ModelParts } from './served-model.ts';
import { StaticFiles } from './static-files.ts';
import { noTelemetry, type Telemetry } from './telemetry.ts';

export interface GatewayOptions {
  readonly config: Config;
  readonly models: readonly ModelParts[];
  readonly journal: Journal;
  readonly log: Log;
  readonly clock?: Clock;
  /** Folder of the built page. */
  readonly page?: string;
  readonly telemetry?: Telemetry;
}

const nobody: Caller = { name: '-', share: 1, maxPriority: 0, queue: 0, admin: false };
const sweepMs = 60_000;
/** For a cancelled search to end: one step of the loop, and some more on a busy machine. */
const cancelMs = 2000;
const shortConnections = 1000;

export class Gateway {
  readonly searches: Searches;
  readonly #options: GatewayOptions;
  readonly #context: GatewayContext;
  readonly #server: Server;
  readonly #router: Router;
  readonly #guard: Guard;
  readonly #keyring: Keyring;
  readonly #files: StaticFiles;
  readonly #feed: OverviewFeed;
  readonly #watchers: LogWatchers;
  readonly #telemetry: Telemetry;
  #sweeper: NodeJS.Timeout | undefined;
  #stopping = false;

  constructor(options: GatewayOptions) {
    const { config, journal, log, clock = systemClock } = options;
    this.#options = options;
    this.#telemetry = options.telemetry ?? noTelemetry;
    const metrics = new Metrics(() => this.searches);
    const overview = new Overview(clock);
    this.#watchers = new LogWatchers(journal);
    this.searches = new Searches({
      ...{ config, models: options.models, journal, clock, log },
      onEnded: (search, ended) => {
        metrics.ended(search, ended);
        overview.ended(search, ended);
        this.#telemetry.ended(search, ended);
      },
      onFinished: (id) => this.#watchers.wake(id),
    });
    const streams = new StreamLimit(config.server.streams);
    this.#context = { config, searches: this.searches, journal, clock, log, metrics, overview, streams };
    this.#feed = new OverviewFeed(this.#context);
    this.#guard = new Guard(config);
    this.#keyring = new Keyring(config.keys);
    this.#files = new StaticFiles(config.server.page ? options.page : undefined);
    this.#router = new Router(this.#routes());
    this.#server = this.#makeServer();
  }

  /** Takes up what a former process left, then listens. Resolves to the address. */
  async listen(): Promise<string> {
    const { config, log } = this.#options;
    const resumed = await this.searches.recover();
    this.#context.metrics.resumed.inc(resumed);
    await new Promise<void>((resolve, reject) => {
      const { port, host } = config.server;
      this.#server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
        const why = code === 'EADDRINUSE' ? `port ${port} is in use` : `${host}:${port} cannot be bound (${message})`;
        reject(new FaultError(fault('bad-setting', `${why}; set server.port or server.host`)));
      });
      this.#server.listen(port, host, resolve);
    });
    this.#sweeper = setInterval(() => void this.#sweep(), sweepMs).unref();
    const { address, port, family } = this.#server.address() as AddressInfo;
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    log.info('listening', { url, resumed, models: [...this.searches.models.keys()] });
    return url;
  }

  /** Refuses new work, lets answers finish for a while, cancels the rest, and leaves background searches to the journal. */
  async close(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    clearInterval(this.#sweeper);
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#feed.close();
    this.#server.closeIdleConnections();
    await this.#answered(this.#options.config.server.shutdownMs);
    for (const search of this.#waitedFor()) this.searches.cancel(search);
    await this.#answered(cancelMs);
    await this.searches.close();
    this.#server.closeAllConnections();
    await closed;
    this.#context.overview.close();
    await this.#telemetry.close();
    await this.#options.journal.close();
    this.#options.log.info('stopped');
  }

  /** Searches that clients wait for. */
  #waitedFor(): LiveSearch[] {
    return [...this.searches.live].filter(({ facts }) => !facts.background);
  }

  /** Resolves when their answers are written, or after so long. */
  async #answered(mostMs: number): Promise<void> {
    const waited = this.#waitedFor().map((search) => search.wait());
    if (waited.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, mostMs);
    });
    await Promise.race([Promise.all(waited), grace]);
    clearTimeout(timer);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }

  async #sweep(): Promise<void> {
    const { retentionMs, keepSearches } = this.#options.config.journal;
    const endedBeforeMs = this.#context.clock.nowMs() - retentionMs;
    const atMost = 200;
    try {
      // In slices, so that requests come in between.
      while ((await this.#options.journal.sweep({ endedBeforeMs, keepSearches, atMost })) === atMost) {
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    } catch (error) {
      this.#options.log.error('sweep', { error });
    }
  }

  // ---- requests --------------------------------------------------------------------------------------------------

  #routes(): Route[] {
    const context = this.#context;
    return [
      { method: 'POST', path: '/v1/chat/completions', handle: (exchange) => chat(context, exchange) },
      { method: 'GET', path: '/v1/models', handle: ({ response }) => writeJson(response, 200, this.#modelList()) },
      { method: 'GET', path: '/v1/models/{name}', handle: (exchange) => this.#readModel(exchange) },
      { method: 'POST', path: '/v1/searches', handle: (exchange) => createSearch(context, exchange) },
      { method: 'GET', path: '/v1/searches', handle: (exchange) => listSearches(context, exchange) },
      { method: 'GET', path: '/v1/searches/{id}', handle: (exchange) => readSearch(context, exchange) },
      { method: 'DELETE', path: '/v1/searches/{id}', handle: (exchange) => cancelSearch(context, exchange) },
      { method: 'POST', path: '/v1/searches/{id}/cancel', handle: (exchange) => cancelSearch(context, exchange) },
      {
        method: 'GET',
        path: '/v1/searches/{id}/events',
        stream: true,
        handle: (exchange) => searchEvents(context, exchange, this.#watchers),
      },
      { method: 'GET', path: '/v1/overview', handle: (exchange) => this.#feed.read(exchange) },
      { method: 'GET', path: '/v1/overview/events', stream: true, handle: (exchange) => this.#feed.follow(exchange) },
      { method: 'GET', path: '/v1/examples', handle: ({ response }) => writeJson(response, 200, this.#examples()) },
      { method: 'GET', path: '/metrics', handle: ({ response }) => this.#writeMetrics(response) },
      {
        method: 'GET',
        path: '/health',
        open: true,
        handle: ({ response }) => writeJson(response, 200, { status: 'ok' }),
      },
      { method: 'GET', path: '/ready', open: true, handle: ({ response }) => this.#ready(response) },
    ];
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startedMs = performance.now();
    const id = `req_${randomBytes(12).toString('hex')}`;
    response.setHeader('x-request-id', id);
    const seen = { route: 'unknown', caller: nobody, exchange: undefined as Exchange | undefined };
    response.on('close', () => this.#account(request, response, seen, performance.now() - startedMs, id));
    try {
      if (this.#guard.admit(request, response) === 'answered') return;
      const [path = '/', query = ''] = (request.url ?? '/').split('?', 2);
      const match = this.#router.match(request.method ?? 'GET', path);
      seen.route = match?.route.path ?? 'page';
      if (match === undefined) return this.#servePage(request, response, path);
      const caller = match.route.open ? nobody : this.#keyring.identify(request.headers.authorization);
      seen.caller = caller;
      if (this.#stopping && request.method === 'POST') throw stopping();
      seen.exchange = {
        id,
        request,
        response,
        caller,
        parameters: match.parameters,
        query: new URLSearchParams(query),
      };
      await this.#telemetry.trace(seen.exchange, match.route.path, () => handle(match, seen.exchange!));
    } catch (error) {
      this.#fail(request, response, error);
    }
  }

  #servePage(request: IncomingMessage, response: ServerResponse, path: string): void {
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const isPage = reads && !path.startsWith('/v1/') && this.#options.config.server.page;
    if (isPage && this.#files.serve(path, request.method ?? 'GET', response)) return;
    throw new ApiError('not_found', 'there is nothing at this path');
  }

  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const known = error instanceof ApiError ? error : isUnwritten(error) ? unwritten() : mistake();
    if (known !== error && !isDisconnect(error)) {
      this.#options.log.error('internal', { id: String(response.getHeader('x-request-id')), error });
    }
    if (known.status === 429) this.#context.overview.refused += 1;
    if (known.status === 429) this.#context.metrics.refused(known.code);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    // What the client still sends is not wanted: the connection ends with this answer.
    const unread = !request.complete;
    writeError(response, known, unread ? { connection: 'close' } : {});
    if (unread) request.resume();
  }

  #account(
    request: IncomingMessage,
    response: ServerResponse,
    seen: { route: string; caller: Caller; exchange: Exchange | undefined },
    ms: number,
    id: string,
  ): void {
    const status = response.writableFinished ? response.statusCode : 499;
    this.#context.metrics.request(seen.route, status, ms);
    this.#options.log.info('request', {
      ...{ id, method: String(request.method).slice(0, 16), route: seen.route, status, ms: Math.round(ms * 10) / 10 },
      key: seen.caller.name,
      ...(seen.exchange?.search === undefined ? {} : { search: seen.exchange.search }),
    });
  }

  // ---- small answers ---------------------------------------------------------------------------------------------

  #modelList() {
    return { object: 'list', data: [...this.searches.models.keys()].map((name) => this.#model(name)) };
  }

  #readModel({ parameters, response }: Exchange): void {
    const name = decode(parameters.name ?? '');
    if (!this.searches.models.has(name))
      throw new ApiError('model_not_found', `there is no model '${name.slice(0, 128)}'`, { param: 'model' });
    writeJson(response, 200, this.#model(name));
  }

  #model(name: string) {
    const model = this.searches.models.get(name);
    const { engine, verifier, program, policy } = model!.config;
    return {
      id: name,
      object: 'model',
      created: 0,
      owned_by: 'coppice',
      coppice: { engine: engine.kind, verifier: verifier.kind, program, policy },
    };
  }

  #examples() {
    const data = this.#options.config.models.flatMap(({ name, examples }) =>
      examples.map((each) => ({ ...each, model: name })),
    );
    return { object: 'list', data };
  }

  async #writeMetrics(response: ServerResponse): Promise<void> {
    const { registry } = this.#context.metrics;
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' });
    response.end(text);
  }

  #ready(response: ServerResponse): void {
    const models = [...this.searches.models.values()].map(({ name, healthy }) => ({ name, healthy }));
    const ready = !this.#stopping && models.some(({ healthy }) => healthy);
    writeJson(response, ready ? 200 : 503, { ready, models });
  }

  // ---- the socket ------------------------------------------------------------------------------------------------

  #makeServer(): Server {
    const { headerMs, requestMs, streams } = this.#options.config.server;
    const server = createServer({
      headersTimeout: headerMs,
      requestTimeout: requestMs,
      maxHeaderSize: 16_384,
      connectionsCheckingInterval: 5000,
      // Longer than the 60 s of common load balancers, which otherwise send into a connection that we are closing.
      keepAliveTimeout: 65_000,
    });
    // Every stream and some more for short requests; what comes beyond is not even read.
    server.maxConnections = streams + shortConnections;
    server.on('request', (request, response) => void this.#serve(request, response));
    server.on('checkExpectation', (request, response) =>
      this.#fail(request, response, new ApiError('expectation_failed', 'no expectation but 100-continue is met')),
    );
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => answerBroken(error, socket as Socket));
    return server;
  }
}

async function handle({ route }: Match, exchange: Exchange): Promise<void> {
  await route.handle(exchange);
}

function stopping(): ApiError {
  return new ApiError('shutting_down', 'the server is shutting down', { retryAfterSeconds: 5 });
}

function mistake(): ApiError {
  return new ApiError('internal', 'the server made a mistake; its log has the request id');
}

function unwritten(): ApiError {
  return new ApiError('unavailable', 'the journal cannot be written now', { retryAfterSeconds: 10 });
}

function isUnwritten(error: unknown): boolean {
  return error instanceof FaultError && error.fault.code === 'unavailable';
}

/** What is not HTTP still gets an answer in the API's shape, where there is anyone to read it. */
function answerBroken(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? new ApiError('headers_too_large', 'the headers are larger than 16384 bytes')
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? new ApiError('request_timeout', 'the request was not complete in time (server.requestMs)')
        : new ApiError('bad_request', 'this is not a valid HTTP request');
  const body = JSON.stringify({ error: problem.body });
  const head = `HTTP/1.1 ${problem.status} ${problem.code}\r\ncontent-type: application/json; charset=utf-8\r\n`;
  socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`);
}

function isDisconnect(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE' || code === 'ABORT_ERR';
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
