// Prometheus metrics. Labels are closed sets or names from the configuration, never a client's words.

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Ended, LiveSearch } from '../../searches/live-search.ts';
import type { ObservedSearches } from '../../searches/searches-options.ts';
import { addModelMetrics } from './model-metrics.ts';
import { ReadMetrics } from './read-metrics.ts';

/** Buckets reach from a cached answer to the longest deadline that people wait for. */
const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60, 120, 300];
/** Buckets reach from a wide search alone on an engine to one that waited for minutes and wrote little. */
const tokenSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];
const tokenClasses = ['committed', 'discarded', 'speculative'] as const;

function metersIn(registry: Registry) {
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `coppice_${name}`, help, labelNames, registers: [registry] });
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[], buckets = seconds) =>
    new Histogram({ name: `coppice_${name}`, help, labelNames, registers: [registry], buckets });
  const perToken = 'Finish-time fairness: from arrival to exit, a token generated';
  const attained = 'Searches by whether they ended before their deadline';
  const written = 'Tokens that a model generated for searches that ask several, or have prices';
  return {
    requests: counter('requests_total', 'HTTP requests by route and status', ['route', 'status']),
    requestSeconds: histogram('request_duration_seconds', 'Time to the end of the answer', ['route']),
    searches: counter('searches_total', 'Searches that ended, by exit', ['model', 'program', 'policy', 'exit']),
    searchSeconds: histogram('search_duration_seconds', 'From arrival to exit', ['model', 'exit']),
    queueSeconds: histogram('queue_duration_seconds', 'From arrival to admission', ['model']),
    tokens: counter('tokens_total', 'Tokens generated; classes do not overlap', ['model', 'class']),
    computed: counter('computed_tokens_total', 'Generated tokens that were computed', ['model']),
    prefix: counter('prefix_tokens_total', 'Tokens of prompts and paths that the engine read', ['model', 'source']),
    verifier: counter('verifier_tokens_total', 'Tokens that the verifier read', ['model', 'source']),
    embedder: counter('embedder_tokens_total', 'Tokens that the embedder read', ['model']),
    written: counter('written_tokens_total', written, ['model', 'writer']),
    money: counter('money_total', 'What tokens of engines cost, by the prices of their models', ['model', 'writer']),
    refusals: counter('refusals_total', 'Refused requests by error code', ['code']),
    givenUp: counter('searches_given_up_total', 'Searches given up, or out of time, while they waited', ['model']),
    deadlines: counter('deadlines_total', attained, ['model', 'attained']),
    perToken: histogram('seconds_per_token', perToken, ['model'], tokenSeconds),
    passed: counter('passthrough_requests_total', 'Requests passed on without search', ['model', 'status']),
    passedSeconds: histogram('passthrough_duration_seconds', 'Time to the end of their answer', ['model']),
    resumed: counter('searches_resumed_total', 'Searches taken up again after a restart', []),
  };
}

export class Metrics {
  readonly registry = new Registry();
  readonly #meters = metersIn(this.registry);

  constructor(searches: () => ObservedSearches) {
    collectDefaultMetrics({ register: this.registry });
    const all = new ReadMetrics(this.registry, [], () => [[{}, searches()]]);
    all.gauge('queue_searches', 'Searches that wait for admission', ({ admission }) => admission.waiting);
    all.gauge('running_searches', 'Searches that run', ({ admission }) => admission.running);
    const soFar = 'Tokens of running searches so far; tokens_total has them when they end';
    all.gauge('running_tokens', soFar, ({ live }) => [...live].reduce((sum, { summary }) => sum + summary.tokens, 0));
    addModelMetrics(this.registry, () => searches().models.values());
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  resumed(searches: number): void {
    this.#meters.resumed.inc(searches);
  }

  request(route: string, status: number, durationMs: number): void {
    this.#meters.requests.inc({ route, status: String(status) });
    this.#meters.requestSeconds.observe({ route }, durationMs / 1000);
  }

  passedThrough(model: string, status: number | undefined, durationMs: number): void {
    this.#meters.passed.inc({ model, status: String(status ?? 'none') });
    this.#meters.passedSeconds.observe({ model }, durationMs / 1000);
  }

  refused(code: string): void {
    this.#meters.refusals.inc({ code });
  }

  ended({ facts }: LiveSearch, { result, endedMs }: Ended): void {
    if (result === undefined) return;
    const meters = this.#meters;
    const { model, program, policy } = facts.plan;
    const { exit, tokens, usage, queue_ms } = result.outcome;
    meters.searches.inc({ model, program, policy, exit: exit.kind });
    meters.searchSeconds.observe({ model, exit: exit.kind }, (endedMs - facts.createdMs) / 1000);
    if (queue_ms !== null) meters.queueSeconds.observe({ model }, queue_ms / 1000);
    else if (exit.kind === 'deadline') meters.givenUp.inc({ model });
    if (exit.kind !== 'cancelled' && exit.kind !== 'failed') {
      meters.deadlines.inc({ model, attained: exit.kind === 'deadline' ? 'no' : 'yes' });
      const { completion_tokens: generated } = usage;
      if (generated > 0) meters.perToken.observe({ model }, (endedMs - facts.createdMs) / 1000 / generated);
    }
    this.#countTokens(model, tokens);
    for (const [writer, { generated_tokens, money = 0 }] of Object.entries(result.outcome.models ?? {})) {
      meters.written.inc({ model, writer }, generated_tokens);
      meters.money.inc({ model, writer }, money);
    }
  }

  #countTokens(model: string, tokens: Readonly<Record<string, number>>): void {
    const meters = this.#meters;
    for (const name of tokenClasses) meters.tokens.inc({ model, class: name }, tokens[name] ?? 0);
    meters.computed.inc({ model }, tokens.computed ?? 0);
    meters.prefix.inc({ model, source: 'computed' }, tokens.prefix ?? 0);
    meters.prefix.inc({ model, source: 'cached' }, tokens.prefix_cached ?? 0);
    meters.verifier.inc({ model, source: 'computed' }, tokens.verifier ?? 0);
    meters.verifier.inc({ model, source: 'cached' }, tokens.verifier_cached ?? 0);
    meters.embedder.inc({ model }, tokens.embedder ?? 0);
  }
}
