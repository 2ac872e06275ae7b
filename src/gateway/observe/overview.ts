// What an operator sees at a glance, once a second: budget, queue, running searches, exits, tokens and latency. One
// frame is made for all readers. Everything is bounded: at most so many searches listed, so many endings remembered.

import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../base/clock.ts';
import type { Plain } from '../../journal/journal.ts';
import { type ExitKind, exitKinds } from '../../log/end.ts';
import type { Ended, LiveSearch } from '../searches/live-search.ts';
import type { Searches } from '../searches/searches.ts';
import type { ServedModel } from '../searches/served-model.ts';
import { version } from './version.ts';

const windowMs = 15 * 60_000;
const mostEndings = 20_000;
const mostListed = 200;
const rateWindowMs = 10_000;
const tokenClasses = ['committed', 'discarded', 'speculative', 'verifier', 'saved_estimate'] as const;

interface PastEnd {
  readonly atMs: number;
  readonly kind: ExitKind;
  readonly latencyMs: number;
  readonly tokens: number;
}

export class Overview {
  readonly #clock: Clock;
  readonly #startedMs: number;
  readonly #delay = monitorEventLoopDelay({ resolution: 10 });
  #endings: PastEnd[] = [];
  readonly #tokens: Record<string, number> = Object.fromEntries(tokenClasses.map((name) => [name, 0]));
  refused = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.nowMs();
    this.#delay.enable();
  }

  ended(search: LiveSearch, { result, endedMs }: Ended): void {
    if (result === undefined) return;
    const { exit, tokens, usage } = result.outcome;
    const latencyMs = endedMs - search.facts.createdMs;
    this.#endings.push({ atMs: endedMs, kind: exit.kind, latencyMs, tokens: usage.completion_tokens });
    if (this.#endings.length > mostEndings) this.#endings = this.#endings.slice(-mostEndings / 2);
    for (const name of tokenClasses) this.#tokens[name] = (this.#tokens[name] ?? 0) + (tokens[name] ?? 0);
  }

  frame(searches: Searches, queueLimit: number): Plain {
    const nowMs = this.#clock.nowMs();
    this.#endings = this.#endings.filter(({ atMs }) => nowMs - atMs <= windowMs);
    const models = [...searches.models.values()].map(viewModel);
    const sum = (name: 'budget' | 'open_strands') => models.reduce((total, model) => total + model[name], 0);
    return {
      at_ms: Math.round(nowMs),
      uptime_ms: Math.round(nowMs - this.#startedMs),
      version,
      models,
      budget: { total: sum('budget'), used: sum('open_strands') },
      queue: { waiting: searches.admission.waiting, limit: queueLimit },
      searches: { running: searches.admission.running, listed: listed(searches, nowMs) },
      exits: this.#exits(),
      tokens: { ...this.#tokens, per_second: this.#tokensPerSecond(nowMs) },
      latency: latencyOf(this.#endings),
      refused: this.refused,
      event_loop_ms: this.#eventLoopMs(),
    };
  }

  close(): void {
    this.#delay.disable();
  }

  #exits(): Plain {
    const counts: Record<string, number> = Object.fromEntries(exitKinds.map((kind) => [kind, 0]));
    for (const { kind } of this.#endings) counts[kind] = (counts[kind] ?? 0) + 1;
    return counts;
  }

  #tokensPerSecond(nowMs: number): number {
    const recent = this.#endings.filter(({ atMs }) => nowMs - atMs <= rateWindowMs);
    return Math.round((recent.reduce((sum, { tokens }) => sum + tokens, 0) * 1000) / rateWindowMs);
  }

  /** p99 since the last frame. */
  #eventLoopMs(): number {
    const ms = this.#delay.percentile(99) / 1e6;
    this.#delay.reset();
    return Math.round(ms * 10) / 10;
  }
}

function viewModel({ name, config, engine, runtime, healthy }: ServedModel) {
  const { runningSequences, waitingSequences, stepMs } = engine.load();
  return {
    name,
    engine: config.engine.kind,
    healthy,
    budget: config.budget,
    open_strands: runtime.leasesTaken,
    running_sequences: runningSequences,
    waiting_sequences: waitingSequences,
    step_ms: stepMs ?? null,
  };
}

function listed(searches: Searches, nowMs: number): Plain[] {
  const rows: Plain[] = [];
  for (const { id, facts, state, mirror, ended } of searches.live) {
    if (ended !== undefined || state !== 'running') continue;
    const { plan, title, createdMs } = facts;
    rows.push({
      id,
      title,
      model: plan.model,
      state,
      ...mirror.width,
      open_strands: mirror.openStrands,
      nodes: mirror.nodes.length,
      rollouts: mirror.rollouts,
      rollout_limit: plan.rollouts,
      best_score: mirror.bestScore ?? null,
      threshold: plan.threshold,
      age_ms: Math.round(nowMs - createdMs),
    });
    if (rows.length >= mostListed) break;
  }
  return rows;
}

function latencyOf(endings: readonly PastEnd[]): Plain | null {
  if (endings.length === 0) return null;
  const sorted = endings.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const at = (share: number) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0);
  return { p50_ms: at(0.5), p99_ms: at(0.99), count: sorted.length };
}
