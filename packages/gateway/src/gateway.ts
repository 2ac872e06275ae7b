// The server: assembles its parts, and starts and ends everything below it. request-server.ts answers requests.

import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { OpenModel } from '@coppice/core/answering';
import { type Clock, FaultError, fault, nextSlice } from '@coppice/core/base';
import type { Config, KeyConfig } from '@coppice/core/config';
import type { Cluster, Journal } from '@coppice/core/journal';
import { systemClock } from '@coppice/core/runtime';
import type { GatewayContext } from './api/context.ts';
import { OverviewApi } from './api/overview-api.ts';
import { BatchRunner } from './batches/batch-runner.ts';
import { LogWatchers } from './follow/log-watchers.ts';
import { BodyRoom } from './http/body-room.ts';
import { StreamSemaphore } from './http/event-stream.ts';
import { type FixedLimits, fixedLimits } from './http/fixed-limits.ts';
import { createHttpServer, type HttpServer } from './http/http-server.ts';
import { NodeTaker } from './nodes/node-taker.ts';
import type { Log } from './observe/log.ts';
import { History } from './observe/overview/history.ts';
import { Observers } from './observers.ts';
import { RequestServer } from './request-server.ts';
import { sweepJournal } from './retention-sweep.ts';
import { routesOf } from './routes.ts';
import { Searches } from './searches/searches.ts';

interface GatewayOptions {
  readonly config: Config;
  readonly models: readonly OpenModel[];
  readonly journal: Journal;
  readonly log: Log;
  readonly clock?: Clock;
  readonly cluster?: Cluster;
  readonly page?: string;
  readonly limits?: Partial<FixedLimits>;
}

/** Time for a cancelled search to end: one step of the loop, with slack for a busy machine. */
const cancelMs = 2000;

export class Gateway {
  readonly searches: Searches;
  readonly #options: GatewayOptions;
  readonly #context: GatewayContext;
  readonly #http: HttpServer;
  readonly #requests: RequestServer;
  readonly #feed: OverviewApi;
  readonly #watchers: LogWatchers;
  #stopSweeping = () => {};
  readonly #taker: NodeTaker;
  readonly #batches: BatchRunner;
  #stopping = false;

  constructor(options: GatewayOptions) {
    const { journal, log, clock = systemClock } = options;
    const limits: FixedLimits = { ...fixedLimits, ...options.limits };
    this.#options = options;
    const observers = new Observers({ ...options, clock, auditMs: limits.auditMs }, () => this.searches);
    const { metrics, overview, usage } = observers;
    this.#watchers = new LogWatchers(journal);
    this.searches = new Searches({
      ...options,
      clock,
      onEnded: (search, ended) => observers.ended(search, ended),
      onFinished: (id) => this.#watchers.wake(id),
    });
    const report = () => overview.report(this.searches, journal.texts === 'keep');
    this.#taker = new NodeTaker(this.searches, journal, { node: options.cluster?.node ?? '', report, usage });
    journal.listen({
      trouble: (trouble) => {
        if (trouble !== undefined) return log.error('journal', { message: trouble });
        log.warn('journal', { message: 'the journal can be written again; the entries that waited are stored' });
      },
      cancelRequested: (id) => this.#taker.cancel(id),
      endedElsewhere: (id) => this.#watchers.wake(id),
      missed: () => this.#watchers.wakeAll(),
    });
    const streams = new StreamSemaphore(limits.streams);
    const bodies = new BodyRoom(limits.bodiesBytes, ({ socket }) => this.#http.connections.cut(socket, 'bodies'));
    const { searches } = this;
    const served = { limits, searches, usage, metrics, overview, streams, bodies, watchers: this.#watchers };
    this.#context = { ...options, clock, ...served };
    this.#feed = new OverviewApi(this.#context);
    this.#batches = new BatchRunner(this.#context, options.cluster?.node ?? 'local');
    const routes = routesOf({
      ...this.#context,
      batches: this.#batches,
      feed: this.#feed,
      history: new History(journal, clock),
      isStopping: () => this.#stopping,
    });
    this.#requests = new RequestServer(this.#context, routes, options.page);
    this.#http = createHttpServer(limits, {
      serve: (request, response) => void this.#requests.serve(request, response),
      refuse: (request, response, error) => this.#requests.fail(request, response, error),
      warn: (cuts) => log.warn('connections', { ...cuts }),
    });
    observers.watch(this.#http);
    void observers.audit();
  }

  /** Resumes the searches of a former process, then listens. Resolves to the address. */
  async listen(): Promise<string> {
    const { config, log, cluster } = this.#options;
    const resumed = cluster === undefined ? await this.searches.recover() : 0;
    this.#context.metrics.resumed(resumed);
    await new Promise<void>((resolve, reject) => {
      const { port, host } = config.server;
      const { server } = this.#http;
      server.once('error', ({ code, message }: NodeJS.ErrnoException) => {
        const why = code === 'EADDRINUSE' ? `port ${port} is in use` : `${host}:${port} cannot be bound (${message})`;
        reject(new FaultError(fault('bad-setting', `${why}; set server.port or server.host`)));
      });
      server.listen(port, host, resolve);
    });
    this.#stopSweeping = sweepJournal(this.#context);
    this.#batches.start();
    await cluster?.start(this.#taker);
    const { address, port, family } = this.#http.server.address() as AddressInfo;
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    log.info('listening', { url, resumed, models: [...this.searches.models.keys()] });
    return url;
  }

  /** Replaces the keys of a running server. It cannot go from no keys to some or back: that decides where it may listen. */
  useKeys(keys: readonly KeyConfig[]): void {
    if ((keys.length === 0) !== (this.#options.config.keys.length === 0))
      throw new FaultError(fault('bad-setting', 'keys: adding the first key or removing the last one needs a restart'));
    const removed = this.#requests.useKeys(keys);
    this.searches.useKeys(keys);
    this.#context.usage.useKeys(keys);
    this.#options.log.info('keys', { keys: keys.length });
    for (const name of removed) this.#endWorkOf(name);
  }

  /** Ends the streams of a removed key and the searches that it waits for; background searches stay. */
  #endWorkOf(key: string): void {
    const waitedFor = this.searches.waitedFor.filter(({ facts }) => facts.owner === key);
    for (const search of waitedFor) this.searches.cancel(search, 'key-removed');
    const told = new Set(waitedFor.map(({ id }) => id));
    const read = this.#requests.exchangesOf(key).filter(({ search = '' }) => !told.has(search));
    for (const { response } of read) response.destroy();
    this.#options.log.warn('key-removed', { key, cancelled: waitedFor.length, closed: read.length });
  }

  /**
   * Refuses new work, lets answers finish for a while, cancels the rest, and leaves background searches to the journal.
   * The listener stays open meanwhile: a late client gets a refusal, not a closed port.
   */
  async close(): Promise<void> {
    if (this.#stopping) return;
    this.#stopping = true;
    this.#requests.stop();
    this.#stopSweeping();
    await this.#batches.stop();
    this.#feed.close();
    await this.#handOver();
    await this.#answered(this.#options.config.server.shutdownMs);
    for (const search of this.searches.waitedFor) this.searches.cancel(search, 'shutdown');
    await this.#answered(cancelMs);
    const { server } = this.#http;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await this.searches.close();
    server.closeAllConnections();
    await closed;
    await this.#options.cluster?.close();
    await this.#options.journal.close();
    this.#options.log.info('stopped');
  }

  async #handOver(): Promise<void> {
    const { cluster, log } = this.#options;
    if (cluster === undefined) return;
    cluster.stop();
    try {
      await cluster.giveBack(await this.#taker.letGo());
    } catch (error) {
      // Their leases expire without this.
      log.warn('hand-over', { error });
    }
  }

  async #answered(mostMs: number): Promise<void> {
    const waited = this.searches.waitedFor.map((search) => search.wait());
    if (waited.length === 0) return;
    const grace = new AbortController();
    const over = delay(mostMs, undefined, grace).catch(() => {});
    await Promise.race([Promise.all(waited), over]);
    grace.abort();
    await nextSlice();
  }
}
