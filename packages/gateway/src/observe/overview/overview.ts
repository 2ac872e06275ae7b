// The overview of the page, once a second: budget, queue, running searches, exits, tokens and latency. All readers share the sums; each has
// its own list of searches. Lists, remembered ends and samples are bounded.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '@coppice/core/base';
import { version } from '@coppice/core/config';
import type { Journal } from '@coppice/core/journal';
import { exitKinds } from '@coppice/core/log';
import type { ServerCost, Servers } from '@coppice/core/scheduler';
import type { ServedModel } from '../../models/served-model.ts';
import type { Ended, LiveSearch } from '../../searches/live-search.ts';
import type { ObservedSearches } from '../../searches/searches-options.ts';
import type {
  JournalHealthJson,
  ListedJson,
  ModelCostJson,
  ModelLoadJson,
  OverviewJson,
  SampleJson,
  ServerCostJson,
} from '../../wire/overview-json.ts';
import { figuresOf, type PastSearch } from './history.ts';

const windowMs = 15 * 60_000;
const mostEnds = 20_000;
export const sampleMs = 5000;
const mostSamples = windowMs / sampleMs;
export const mostListed = 200;
/** Searches in a node's report to the others, every few seconds. */
const mostReported = 50;
/** Tokens per second are counted over this many samples. */
const rateSamples = 3;
const tokenClasses = ['committed', 'discarded', 'speculative', 'adopted', 'forsaken', 'verifier'] as const;
const noExits = Object.fromEntries(exitKinds.map((kind) => [kind, 0]));

export interface NodeReport {
  readonly healthy: boolean;
  readonly budget: { readonly total: number; readonly used: number };
  readonly running: number;
  readonly listed: readonly { readonly owner: string; readonly row: ListedJson }[];
}

export class Overview {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #delay = monitorEventLoopDelay({ resolution: 10 });
  #ends: PastSearch[] = [];
  readonly #samples: SampleJson[] = [];
  readonly #tokens: Record<string, number> = Object.fromEntries(tokenClasses.map((name) => [name, 0]));
  #endedTokens = 0;
  readonly #marks: { readonly atMs: number; readonly tokens: number }[] = [];
  refused = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
    this.#marks.push({ atMs: this.#startedMs, tokens: 0 });
    this.#delay.enable();
  }

  ended(search: LiveSearch, { result, endedMs }: Ended): void {
    if (result === undefined) return;
    const { exit, tokens, usage } = result.outcome;
    const { completion_tokens: generated } = usage;
    this.#ends.push({ endedMs, latencyMs: endedMs - search.facts.createdMs, kind: exit.kind, tokens: generated });
    this.#endedTokens += generated;
    if (this.#ends.length > mostEnds) this.#ends = this.#ends.slice(-mostEnds / 2);
    for (const name of tokenClasses) this.#tokens[name] = (this.#tokens[name] ?? 0) + (tokens[name] ?? 0);
  }

  sample(searches: ObservedSearches): void {
    const { running, waiting } = searches.admission;
    this.#marks.push({ atMs: this.#clock.nowMs(), tokens: this.#generated(searches) });
    if (this.#marks.length > rateSamples) this.#marks.shift();
    this.#samples.push({ at_ms: Math.round(this.#clock.nowMs()), ...budgetOf(searches), running, waiting });
    if (this.#samples.length > mostSamples) this.#samples.shift();
  }

  get history(): readonly SampleJson[] {
    return this.#samples;
  }

  frame(searches: ObservedSearches, queueLimit: number, journal: JournalHealthJson): OverviewJson {
    const nowMs = this.#clock.nowMs();
    this.#ends = this.#ends.filter(({ endedMs }) => nowMs - endedMs <= windowMs);
    const { searches: count, p50_ms, p99_ms, exits } = figuresOf(this.#ends);
    return {
      at_ms: Math.round(nowMs),
      uptime_ms: Math.round(nowMs - this.#startedMs),
      version,
      models: [...searches.models.values()].map(viewModel),
      journal,
      budget: budgetOf(searches),
      nodes: [],
      queue: { waiting: searches.admission.waiting, limit: queueLimit },
      searches: { running: searches.admission.running, listed: [] },
      exits: { ...noExits, ...exits },
      tokens: { ...this.#tokens, ...this.#pace(this.#generated(searches), nowMs) },
      latency: p50_ms === null || p99_ms === null ? null : { p50_ms, p99_ms, count },
      refused: this.refused,
      event_loop_ms: this.#eventLoopMs(),
    };
  }

  /** Running searches, oldest first, then waiting ones in order: of one key, or of all. */
  listed(searches: ObservedSearches, owner: string | undefined): ListedJson[] {
    const nowMs = this.#clock.nowMs();
    return inOrder(searches)
      .filter(({ search }) => owner === undefined || search.facts.owner === owner)
      .slice(0, mostListed)
      .map(({ search, place }) => listedRow(search, place, nowMs));
  }

  report(searches: ObservedSearches, keepsTitles: boolean): NodeReport {
    const running = [...searches.live].filter(({ state }) => state === 'running').slice(0, mostReported);
    const nowMs = this.#clock.nowMs();
    return {
      healthy: [...searches.models.values()].some(({ healthy }) => healthy),
      budget: budgetOf(searches),
      running: searches.admission.running,
      listed: running.map((search) => {
        const row = listedRow(search, null, nowMs);
        return { owner: search.facts.owner, row: keepsTitles ? row : { ...row, title: null } };
      }),
    };
  }

  close(): void {
    this.#delay.disable();
  }

  #generated({ live }: ObservedSearches): number {
    return [...live].reduce((sum, { summary }) => sum + summary.tokens, this.#endedTokens);
  }

  #pace(generated: number, nowMs: number): { readonly generated: number; readonly per_second: number } {
    const { atMs, tokens } = this.#marks[0]!;
    const seconds = Math.max(1, (nowMs - atMs) / 1000);
    return { generated, per_second: Math.round(Math.max(0, generated - tokens) / seconds) };
  }

  #eventLoopMs(): number {
    const ms = this.#delay.percentile(99) / 1e6;
    this.#delay.reset();
    return Math.round(ms * 10) / 10;
  }
}

function budgetOf({ models }: ObservedSearches): OverviewJson['budget'] {
  const served = [...models.values()];
  return {
    total: served.reduce((sum, { runtime }) => sum + runtime.queue.budget, 0),
    used: served.reduce((sum, { runtime }) => sum + runtime.leasesTaken, 0),
  };
}

/** Figures only: the log describes the trouble, with its paths. */
export function viewJournal(kind: string, journal: Pick<Journal, 'trouble' | 'health'>): JournalHealthJson {
  const { unwritten, oldestUnwrittenMs, failures, bytes } = journal.health();
  const healthy = journal.trouble === undefined;
  return { kind, healthy, unwritten, oldest_unwritten_ms: Math.round(oldestUnwrittenMs), failures, bytes };
}

function viewModel({ name, config, engine, verifier, runtime, healthy, judgement }: ServedModel): ModelLoadJson {
  const { runningSequences, waitingSequences, stepMs, drafting, healthy: engineHealthy } = engine.load();
  const scoring = verifier?.load();
  return {
    name,
    engine: config.engine.kind,
    healthy,
    engine_healthy: engineHealthy,
    verifier: scoring
      ? {
          kind: config.verifier.kind,
          healthy: scoring.healthy,
          waiting: scoring.waiting,
          score_ms: scoring.scoreMs ?? null,
          judge: judgement ?? null,
        }
      : null,
    budget: runtime.queue.budget,
    open_strands: runtime.leasesTaken,
    running_sequences: runningSequences,
    waiting_sequences: waitingSequences,
    step_ms: stepMs ?? null,
    drafting: drafting === undefined ? null : { gain: readable(drafting.gain), used: drafting.isUsed },
    expected_wait_ms: Math.round(runtime.queue.backWaitMs),
    cost: runtime.servers === undefined ? null : viewCost(runtime.servers),
  };
}

function viewCost({ engine, verifier, perStrand }: Servers): ModelCostJson {
  const view = ({ inFlight, line: { baseMs, slopeMs } }: ServerCost): ServerCostJson => {
    return { in_flight: inFlight, alone_ms: readable(baseMs), each_more_ms: readable(slopeMs) };
  };
  return { engine: view(engine), verifier: verifier ? view(verifier) : null, children_per_strand: readable(perStrand) };
}

function readable(value: number): number {
  return Number(value.toPrecision(4));
}

/** A waiting search's place counts the searches of all keys on its model. */
function inOrder({ live }: ObservedSearches): { readonly search: LiveSearch; readonly place: number | null }[] {
  const running: { search: LiveSearch; place: null }[] = [];
  const waiting: LiveSearch[] = [];
  for (const search of live) {
    if (search.state === 'running') running.push({ search, place: null });
    else if (search.state === 'queued') waiting.push(search);
  }
  const isIdle = ({ facts }: LiveSearch) => Number(facts.plan.idle === true);
  waiting.sort((a, b) => isIdle(a) - isIdle(b) || a.turn - b.turn);
  const ahead = new Map<string, number>();
  return [
    ...running,
    ...waiting.map((search) => {
      const { model } = search.facts.plan;
      const place = (ahead.get(model) ?? 0) + 1;
      ahead.set(model, place);
      return { search, place };
    }),
  ];
}

function listedRow({ id, facts, state, summary }: LiveSearch, place: number | null, nowMs: number): ListedJson {
  const { plan, title, createdMs } = facts;
  const { width, why, open_strands, nodes, rollouts, best_score, tokens } = summary;
  return {
    id,
    title,
    model: plan.model,
    state,
    place,
    ...width,
    why,
    open_strands,
    nodes,
    rollouts,
    rollout_limit: plan.rollouts,
    best_score,
    tokens,
    threshold: plan.threshold,
    age_ms: Math.round(nowMs - createdMs),
  };
}
