// Reports every search that ends to metrics, overview, usage and the log. None of them may slow an answer.

import { isFault } from '@coppice/core/base';
import { Audits } from '@coppice/core/journal';
import type { HttpServer } from './http/http-server.ts';
import { Metrics } from './observe/metrics/metrics.ts';
import { addKeyMetrics, addServerMetrics, addSharedQueueMetrics } from './observe/metrics/server-metrics.ts';
import { Overview } from './observe/overview/overview.ts';
import { UsageMeter } from './observe/usage.ts';
import { roundToTenths } from './result/search-result.ts';
import type { Ended, LiveSearch } from './searches/live-search.ts';
import type { ObservedSearches, SearchesOptions } from './searches/searches-options.ts';

interface ObserversOptions extends Pick<SearchesOptions, 'config' | 'journal' | 'log' | 'clock' | 'cluster'> {
  readonly auditMs: number;
}

export class Observers {
  readonly metrics: Metrics;
  readonly overview: Overview;
  readonly usage: UsageMeter;
  readonly #options: ObserversOptions;
  readonly #searches: () => ObservedSearches;
  readonly #audits: Audits;
  #auditing: NodeJS.Timeout | undefined;

  /** `searches` is called only after construction. */
  constructor(options: ObserversOptions, searches: () => ObservedSearches) {
    const { config, clock, journal } = options;
    this.#options = options;
    this.#searches = searches;
    this.#audits = new Audits(journal, clock);
    this.metrics = new Metrics(searches);
    this.overview = new Overview(clock);
    this.usage = new UsageMeter(clock, config.keys);
  }

  ended(search: LiveSearch, ended: Ended): void {
    this.metrics.ended(search, ended);
    this.overview.ended(ended);
    this.usage.ended(search.facts.owner, ended.result);
    this.#options.log.info('search', searchLine(search, ended));
    if (this.#auditing) return;
    this.#auditing = setTimeout(() => void this.audit(), this.#options.auditMs).unref();
  }

  /** Audits the judges by the searches of all nodes; new searches use the result. */
  async audit(): Promise<void> {
    this.#auditing = undefined;
    try {
      await this.#audits.tell(this.#searches().models.values());
    } catch (error) {
      if (!isFault(error, 'unavailable')) this.#options.log.error('audit', { error });
    }
  }

  watch({ connections }: HttpServer): void {
    const { config, journal, cluster } = this.#options;
    const { registry } = this.metrics;
    if (config.telemetry.keyLabels) addKeyMetrics(registry, this.usage);
    addServerMetrics(registry, { journal, connections });
    addSharedQueueMetrics(registry, cluster);
  }
}

/** Names, codes and numbers only, in the words of docs/http-api.md. */
function searchLine(search: LiveSearch, { result, endedMs, error }: Ended) {
  const { id, owner, plan, background, createdMs } = search.facts;
  const whose = { id, key: owner, model: plan.model, program: plan.program, policy: plan.policy, background };
  const end = { state: search.state, ...(error && { error: error.code }), ms: roundToTenths(endedMs - createdMs) };
  if (result === undefined) return { ...whose, ...end };
  const { exit, verdict, score, confidence, usage, tokens, rollouts, queue_ms, search_ms } = result.outcome;
  return {
    ...whose,
    ...end,
    exit: exit.kind,
    rule: exit.rule,
    verdict,
    score,
    confidence,
    rollouts,
    prompt: usage.prompt_tokens,
    generated: usage.completion_tokens,
    computed: tokens.computed ?? 0,
    thrown_away: tokens.thrown_away ?? 0,
    verifier: tokens.verifier ?? 0,
    queue_ms,
    search_ms,
  };
}
