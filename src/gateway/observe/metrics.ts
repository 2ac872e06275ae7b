// Prometheus metrics in the words of the design. Labels are closed sets or names from the configuration, never something
// that a client sends, so that their number is bounded.

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { addDraftMetrics } from './draft-metrics.ts';
import { addEmbedderMetrics } from './embedder-metrics.ts';
import { addGrowthMetrics } from './growth-metrics.ts';
import type { ObservedEnd, ObservedSearch, ObservedSearches } from './observed.ts';
import { ReadMetrics } from './read-metrics.ts';

/** From an answer that was in the cache to the longest deadline that people wait for. */
const seconds = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 60, 120, 300];
/** From a wide search that had an engine to itself to one that waited for minutes and wrote little. */
const tokenSeconds = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5];
const tokenClasses = [
  'committed',
  'discarded',
  'speculative',
  'adopted',
  'forsaken',
  'computed',
  'cached',
  'decoded',
  'verifier',
  'verifier_cached',
  'embedder',
] as const;

export class Metrics {
  readonly registry = new Registry();
  readonly #requests: Counter<'route' | 'status'>;
  readonly #requestSeconds: Histogram<'route'>;
  readonly #searches: Counter<'model' | 'program' | 'policy' | 'exit'>;
  readonly #searchSeconds: Histogram<'model' | 'exit'>;
  readonly #queueSeconds: Histogram<'model'>;
  readonly #rollouts: Counter<'model'>;
  readonly #tokens: Counter<'model' | 'class'>;
  readonly #saved: Counter<'model'>;
  readonly #refusals: Counter<'code'>;
  readonly #givenUp: Counter<'model'>;
  readonly #deadlines: Counter<'model' | 'attained'>;
  readonly #fairness: Histogram<'model'>;
  readonly #passed: Counter<'model' | 'status'>;
  readonly #passedSeconds: Histogram<'model'>;
  readonly resumed: Counter;

  constructor(searches: () => ObservedSearches) {
    const registers = [this.registry];
    collectDefaultMetrics({ register: this.registry, prefix: 'coppice_' });
    const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
      new Counter({ name: `coppice_${name}`, help, labelNames, registers });
    const histogram = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
      new Histogram({ name: `coppice_${name}`, help, labelNames, registers, buckets: seconds });
    this.#requests = counter('requests_total', 'HTTP requests by route and status', ['route', 'status']);
    this.#requestSeconds = histogram('request_seconds', 'Time to the end of the answer', ['route']);
    this.#searches = counter('searches_total', 'Searches that ended, by exit', ['model', 'program', 'policy', 'exit']);
    this.#searchSeconds = histogram('search_seconds', 'From arrival to exit', ['model', 'exit']);
    this.#queueSeconds = histogram('queue_seconds', 'From arrival to admission', ['model']);
    this.#rollouts = counter('rollouts_total', 'Completed strands', ['model']);
    this.#tokens = counter('tokens_total', 'Tokens by class', ['model', 'class']);
    this.#saved = counter('tokens_saved_total', 'Tokens that exits made unnecessary (estimate)', ['model']);
    this.#refusals = counter('refusals_total', 'Refused requests by error code', ['code']);
    this.#givenUp = counter('given_up_total', 'Searches given up, or out of time, while they waited', ['model']);
    this.#deadlines = counter('deadlines_total', 'Searches by whether they ended by themselves before their deadline', [
      'model',
      'attained',
    ]);
    this.#fairness = new Histogram({
      name: 'coppice_seconds_per_token',
      help: 'Finish-time fairness: from arrival to exit, a token generated',
      labelNames: ['model'] as const,
      registers,
      buckets: tokenSeconds,
    });
    this.#passed = counter('passthrough_total', 'Requests handed on without search', ['model', 'status']);
    this.#passedSeconds = histogram('passthrough_seconds', 'Time to the end of their answer', ['model']);
    this.resumed = counter('searches_resumed_total', 'Searches taken up again after a restart', []);
    this.#gauges(searches);
    addGrowthMetrics(this.registry, () => searches().models.values());
    addEmbedderMetrics(this.registry, () => searches().models.values());
    addDraftMetrics(this.registry, () => searches().models.values());
  }

  request(route: string, status: number, durationMs: number): void {
    this.#requests.inc({ route, status: String(status) });
    this.#requestSeconds.observe({ route }, durationMs / 1000);
  }

  /** `status` is the engine's own, or `none` where it never answered. */
  passedThrough(model: string, status: number | undefined, durationMs: number): void {
    this.#passed.inc({ model, status: String(status ?? 'none') });
    this.#passedSeconds.observe({ model }, durationMs / 1000);
  }

  refused(code: string): void {
    this.#refusals.inc({ code });
  }

  ended({ facts }: ObservedSearch, { result, endedMs }: ObservedEnd): void {
    if (result === undefined) return;
    const { model, program, policy } = facts.plan;
    const { exit, tokens, rollouts, queue_ms } = result.outcome;
    this.#searches.inc({ model, program, policy, exit: exit.kind });
    this.#searchSeconds.observe({ model, exit: exit.kind }, (endedMs - facts.createdMs) / 1000);
    if (queue_ms !== null) this.#queueSeconds.observe({ model }, queue_ms / 1000);
    else if (exit.kind === 'deadline') this.#givenUp.inc({ model });
    if (exit.kind !== 'cancelled' && exit.kind !== 'failed') {
      this.#deadlines.inc({ model, attained: exit.kind === 'deadline' ? 'no' : 'yes' });
      const { committed = 0, discarded = 0, speculative = 0 } = tokens;
      const generated = committed + discarded + speculative;
      if (generated > 0) this.#fairness.observe({ model }, (endedMs - facts.createdMs) / 1000 / generated);
    }
    this.#rollouts.inc({ model }, rollouts);
    for (const name of tokenClasses) this.#tokens.inc({ model, class: name }, tokens[name] ?? 0);
    this.#saved.inc({ model }, tokens.saved_estimate ?? 0);
  }

  #gauges(searches: () => ObservedSearches): void {
    const perModel = new ReadMetrics(this.registry, ['model'], () =>
      Array.from(searches().models.values(), (model) => [{ model: model.name }, model] as const),
    );
    const all = new ReadMetrics(this.registry, [], () => [[{}, searches()]]);
    all.gauge('queue_searches', 'Searches that wait for admission', ({ admission }) => admission.waiting);
    all.gauge('running_searches', 'Searches that run', ({ admission }) => admission.running);
    all.gauge('batch_searches', 'Searches of batches that run, are parked or wait', batchSearches);
    const width = 'Strands that running searches may have open';
    all.gauge('width_primary_strands', width, (each) => widthOf(each, 'primary'));
    all.gauge('width_speculative_strands', 'The same for speculation', (each) => widthOf(each, 'speculative'));
    perModel.gauge('waiting_searches', 'Searches that wait for their turn', ({ runtime }) => runtime.waiting.size);
    perModel.gauge(
      'expected_wait_seconds',
      'Forecast for a search at the end of the line',
      ({ runtime }) => runtime.queue.backWaitMs / 1000,
    );
    perModel.gauge(
      'service_seconds',
      'Median time from admission to end, lately',
      ({ runtime }) => (runtime.queue.pace?.medianMs ?? 0) / 1000,
    );
    perModel.gauge('budget_strands', 'M: strands that may be open', ({ runtime }) => runtime.queue.budget);
    perModel.gauge('open_strands', 'Strands that are open, both lanes', ({ runtime }) => runtime.leasesTaken);
    perModel.gauge('engine_healthy', '1 while engine and verifier answer', ({ healthy }) => (healthy ? 1 : 0));
    perModel.gauge(
      'engine_running_sequences',
      'Sequences in the batch',
      ({ engine }) => engine.load().runningSequences,
    );
    perModel.gauge(
      'engine_waiting_sequences',
      'Sequences that wait for the batch',
      ({ engine }) => engine.load().waitingSequences,
    );
    perModel.gauge(
      'engine_step_seconds',
      'Recent time of one decode step',
      ({ engine }) => (engine.load().stepMs ?? 0) / 1000,
    );
    perModel.gauge('verifier_waiting', 'Steps that wait to be scored', ({ verifier }) => verifier?.load().waiting ?? 0);
  }
}

function batchSearches({ live }: ObservedSearches): number {
  let count = 0;
  for (const { facts } of live) if (facts.plan.idle === true) count += 1;
  return count;
}

function widthOf(searches: ObservedSearches, lane: 'primary' | 'speculative'): number {
  let sum = 0;
  for (const { summary, state } of searches.live) if (state === 'running') sum += summary.width[lane];
  return sum;
}
