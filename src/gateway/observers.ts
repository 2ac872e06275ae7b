// Who hears of every search that ends: metrics, overview, usage, calibrations, traces and the log. None of them may slow an answer.

import type { OpenModel } from '../answering/models/open-model.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config/schema.ts';
import type { Cluster } from '../journal/cluster.ts';
import type { Journal } from '../journal/journal.ts';
import type { HttpServer } from './http/http-server.ts';
import type { Log } from './observe/log.ts';
import { CalibrationWatch } from './observe/metrics/calibration-watch.ts';
import { Metrics } from './observe/metrics/metrics.ts';
import { addKeyMetrics, addServerMetrics, addSharedQueueMetrics } from './observe/metrics/server-metrics.ts';
import type { ObservedEnd, ObservedSearch, ObservedSearches } from './observe/observed.ts';
import { Overview } from './observe/overview/overview.ts';
import { searchLine } from './observe/search-line.ts';
import { noTelemetry, type Telemetry } from './observe/traces/telemetry.ts';
import { countUsage, UsageMeter } from './observe/usage.ts';

interface ObserversOptions {
  readonly config: Config;
  readonly models: readonly OpenModel[];
  readonly journal: Journal;
  readonly log: Log;
  readonly clock: Clock;
  readonly cluster?: Cluster | undefined;
  readonly telemetry?: Telemetry | undefined;
}

export class Observers {
  readonly metrics: Metrics;
  readonly overview: Overview;
  readonly usage: UsageMeter;
  readonly telemetry: Telemetry;
  readonly #options: ObserversOptions;
  readonly #calibrations: CalibrationWatch;

  /** `searches`: those that there are, once there are any. */
  constructor(options: ObserversOptions, searches: () => ObservedSearches) {
    const { config, models, log, clock } = options;
    this.#options = options;
    this.metrics = new Metrics(searches);
    this.overview = new Overview(clock);
    this.usage = new UsageMeter(clock, config.keys);
    this.telemetry = options.telemetry ?? noTelemetry;
    this.#calibrations = new CalibrationWatch(models, log);
    this.#calibrations.addMetrics(this.metrics.registry);
  }

  ended(search: ObservedSearch, ended: ObservedEnd): void {
    this.metrics.ended(search, ended);
    this.overview.ended(search, ended);
    countUsage(this.usage, search, ended);
    this.#calibrations.ended(search, ended);
    this.telemetry.ended(search, ended);
    this.#options.log.info('search', searchLine(search, ended));
  }

  /** Metrics of what stands around the searches. */
  watch({ connections }: HttpServer): void {
    const { config, journal, cluster } = this.#options;
    const { registry } = this.metrics;
    if (config.telemetry.keyLabels) addKeyMetrics(registry, this.usage);
    addServerMetrics(registry, { journal, connections, telemetry: this.telemetry });
    addSharedQueueMetrics(registry, cluster);
  }
}
