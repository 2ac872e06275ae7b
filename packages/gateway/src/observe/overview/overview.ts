// Makes the page's overview once a second: health, budget, queue, running searches and tokens. All readers share the sums; each has its
// own list of searches. Lists and samples are bounded. history.ts has latency and exits, /metrics all other figures.

import { actingThreshold } from '@coppice/core/answering';
import type { Clock } from '@coppice/core/base';
import { version } from '@coppice/core/config';
import type { Journal } from '@coppice/core/journal';
import type { ServedModel } from '../../models/served-model.ts';
import type { Ended, LiveSearch } from '../../searches/live-search.ts';
import type { ObservedSearches } from '../../searches/searches-options.ts';
import type {
  JournalHealthJson,
  ListedJson,
  ModelLoadJson,
  OverviewJson,
  SampleJson,
} from '../../wire/overview-json.ts';

export const sampleMs = 5000;
/** Samples of 15 minutes. */
const mostSamples = 180;
export const mostListed = 200;
/** Searches in a node's report to the others, every few seconds. */
const mostReported = 50;
/** Tokens per second are counted over this many samples. */
const rateSamples = 3;
const tokenClasses = ['committed', 'discarded', 'speculative', 'adopted', 'forsaken', 'verifier'] as const;

export interface NodeReport {
  readonly healthy: boolean;
  readonly budget: { readonly total: number; readonly used: number };
  readonly running: number;
  readonly listed: readonly { readonly owner: string; readonly row: ListedJson }[];
}

export class Overview {
  readonly #clock: Clock;
  #ended = 0;
  readonly #samples: SampleJson[] = [];
  readonly #tokens: Record<string, number> = Object.fromEntries(tokenClasses.map((name) => [name, 0]));
  #endedTokens = 0;
  readonly #marks: { readonly atMs: number; readonly tokens: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#marks.push({ atMs: clock.nowMs(), tokens: 0 });
  }

  ended({ result }: Ended): void {
    if (result === undefined) return;
    const { tokens, usage } = result.outcome;
    this.#ended += 1;
    this.#endedTokens += usage.completion_tokens;
    for (const name of tokenClasses) this.#tokens[name] = (this.#tokens[name] ?? 0) + (tokens[name] ?? 0);
  }

  sample(searches: ObservedSearches): void {
    this.#marks.push({ atMs: this.#clock.nowMs(), tokens: this.#generated(searches) });
    if (this.#marks.length > rateSamples) this.#marks.shift();
    this.#samples.push({ at_ms: Math.round(this.#clock.nowMs()), ...budgetOf(searches) });
    if (this.#samples.length > mostSamples) this.#samples.shift();
  }

  get history(): readonly SampleJson[] {
    return this.#samples;
  }

  frame(searches: ObservedSearches, queueLimit: number, journal: JournalHealthJson): OverviewJson {
    const nowMs = this.#clock.nowMs();
    return {
      at_ms: Math.round(nowMs),
      version,
      models: [...searches.models.values()].map(viewModel),
      journal,
      budget: budgetOf(searches),
      nodes: [],
      queue: { waiting: searches.admission.waiting, limit: queueLimit },
      searches: { running: searches.admission.running, listed: [] },
      ended: this.#ended,
      tokens: { ...this.#tokens, ...this.#pace(this.#generated(searches), nowMs) },
    };
  }

  /** Lists running searches, oldest first, then waiting ones in order: of one key, or of all. */
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

  #generated({ live }: ObservedSearches): number {
    return [...live].reduce((sum, { summary }) => sum + summary.tokens, this.#endedTokens);
  }

  #pace(generated: number, nowMs: number): { readonly generated: number; readonly per_second: number } {
    const { atMs, tokens } = this.#marks[0]!;
    const seconds = Math.max(1, (nowMs - atMs) / 1000);
    return { generated, per_second: Math.round(Math.max(0, generated - tokens) / seconds) };
  }
}

function budgetOf({ models }: ObservedSearches): OverviewJson['budget'] {
  const served = [...models.values()];
  return {
    total: served.reduce((sum, { runtime }) => sum + runtime.queue.budget, 0),
    used: served.reduce((sum, { runtime }) => sum + runtime.leasesTaken, 0),
  };
}

/** Figures only: the log describes the trouble and its paths. */
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
    drafting: drafting === undefined ? null : { gain: Number(drafting.gain.toPrecision(4)), used: drafting.isUsed },
  };
}

/** A waiting search's place counts the searches of all keys on its model. */
function inOrder({ live }: ObservedSearches): { readonly search: LiveSearch; readonly place: number | null }[] {
  const all = [...live];
  const isIdle = ({ facts }: LiveSearch) => Number(facts.plan.idle === true);
  const waiting = all.filter(({ state }) => state === 'queued');
  waiting.sort((a, b) => isIdle(a) - isIdle(b) || a.turn - b.turn);
  const ahead = new Map<string, number>();
  return [
    ...all.filter(({ state }) => state === 'running').map((search) => ({ search, place: null })),
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
    threshold: actingThreshold(plan),
    age_ms: Math.round(nowMs - createdMs),
  };
}
