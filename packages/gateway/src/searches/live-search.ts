// A search that waits or runs in this process, or that a client here waits for: its plan, the fold of its log, its listeners. The
// runtime keeps the fold of a search that runs here; see watches.ts for the others.

import { type BuiltSearch, buildSearch, type SearchPlan } from '@coppice/core/answering';
import { complaint, type FaultCode, raise } from '@coppice/core/base';
import { type Journal, type Plain, readLog, type SearchRecord, type SearchState } from '@coppice/core/journal';
import { eventsIn, type LogEntry, type LoggedEvent, SearchFold } from '@coppice/core/log';
import { turnedKnobs } from '@coppice/core/policy';
import type { Token } from '@coppice/core/runtime';
import type { ApiError } from '../http/api-error.ts';
import type { ClientResult } from '../wire/result-json.ts';
import type { SummaryJson } from '../wire/search-json.ts';

export interface Ended {
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly endedMs: number;
  readonly result: ClientResult | undefined;
  readonly error: ApiError | undefined;
}

export interface SearchListener {
  event?(event: LoggedEvent): void;
  token?(token: Token): void;
  ended?(ended: Ended): void;
}

export interface LiveSearchFacts {
  readonly id: string;
  readonly owner: string;
  readonly plan: SearchPlan;
  readonly body: Plain;
  /** The chat that is searched, if the body is not one: escalation asks another model the same chat. */
  readonly chat?: Plain;
  readonly background: boolean;
  readonly createdMs: number;
  readonly title: string;
  readonly escalatedFrom: string | null;
  /** The node on which its client waits; set if other nodes may run it. */
  readonly home?: string;
}

export function mayMove({ facts: { background, home } }: { readonly facts: LiveSearchFacts }): boolean {
  return background || home !== undefined;
}

interface ReadFold {
  readonly fold: SearchFold;
}

export class LiveSearch {
  readonly facts: LiveSearchFacts;
  readonly built: BuiltSearch;
  readonly #log: ReadFold;
  state: SearchState = 'queued';
  /** Place in the queue, fixed at acceptance; see scheduler/turns/weighted-fair-queueing.ts. */
  turn = 0;
  epoch = 0;
  runs = 0;
  hasBegun = false;
  startedMs: number | undefined;
  promptTokens = 0;
  lastFault: FaultCode | undefined;
  /** Set when the search is over in this process; `tell` reports it to clients once that is safe. */
  ended: Ended | undefined;
  /** Sequence of its `exited` entry; undefined if it never ran here. */
  exitSequence: number | undefined;
  isTold = false;
  settled = false;
  cancelled = false;
  successor: LiveSearch | undefined;
  /** Id of a successor that a former process began. */
  knownSuccessor: string | undefined;
  /** Entries before admission; written when its epoch begins. */
  readonly unwritten: LogEntry[] = [];
  readonly listeners = new Set<SearchListener>();

  constructor(facts: LiveSearchFacts, log: ReadFold = { fold: new SearchFold() }) {
    this.facts = facts;
    this.#log = log;
    this.built = buildSearch(facts.plan);
  }

  get fold(): SearchFold {
    return this.#log.fold;
  }

  get id(): string {
    return this.facts.id;
  }

  get summary(): SummaryJson {
    const { sequence, rollouts, openStrands, width, widthReason, bestScore, generatedTokens, nodes } = this.fold;
    const counts = { sequence, nodes, rollouts, open_strands: openStrands };
    return { ...counts, width, why: widthReason ?? null, best_score: bestScore ?? null, tokens: generatedTokens };
  }

  get last(): LiveSearch {
    return this.successor?.last ?? this;
  }

  async wait(): Promise<LiveSearch> {
    if (!this.isTold) {
      await new Promise<void>((resolve) => {
        this.listeners.add({ ended: () => resolve() });
      });
    }
    return this.successor === undefined ? this : this.successor.wait();
  }

  hear(entry: LogEntry): void {
    if (this.listeners.size === 0) return;
    for (const event of eventsIn(entry)) for (const listener of this.listeners) listener.event?.(event);
  }

  end(ended: Ended): void {
    this.state = ended.state;
    this.ended = ended;
  }

  /** Tells the listeners, once. Call it when the end is durable, or when no other node could decide otherwise. */
  tell(): void {
    const { ended } = this;
    if (this.isTold || ended === undefined) return;
    this.isTold = true;
    for (const listener of [...this.listeners]) listener.ended?.(ended);
    this.listeners.clear();
  }
}

export async function replayLog(
  journal: Journal,
  { id, fold }: Pick<LiveSearch, 'id' | 'fold'>,
  tell: (event: LoggedEvent) => void = () => {},
): Promise<void> {
  for await (const page of readLog(journal, id, fold.sequence)) {
    for (const entry of page) {
      fold.apply(entry);
      for (const event of eventsIn(entry)) tell(event);
    }
    if (fold.fault !== undefined) raise('bad-event', fold.fault);
  }
}

export function searchOf(record: SearchRecord, plan: SearchPlan): LiveSearch {
  const { id, owner, background, createdMs } = record;
  const { body = {}, chat } = (record.request ?? {}) as { readonly body?: Plain; readonly chat?: Plain };
  const escalatedFrom = (record.about.escalated_from ?? null) as string | null;
  const title = record.title ?? '';
  // Records of older versions have no turn: they go by arrival, as without priority.
  const turn = typeof record.about.turn === 'number' ? record.about.turn : createdMs / 1000;
  const home = typeof record.about.home === 'string' ? { home: record.about.home } : {};
  const kept = { ...renamed(plan), policyOptions: knownOptions(plan.policyOptions) };
  const known = { id, owner, plan: kept, body, background, createdMs, title, escalatedFrom };
  const search = new LiveSearch({ ...known, ...(chat && { chat }), ...home });
  search.turn = turn;
  search.epoch = record.epoch + 1;
  search.runs = record.runs;
  search.startedMs = record.startedMs;
  return search;
}

/** Maps older names: `mcts` with `expansion: lazy` is `best-first`, with the same trees; `fast` is `boost` with options in its plan. */
function renamed(plan: SearchPlan): SearchPlan {
  const isLazy = plan.program === 'mcts' && plan.programOptions.expansion === 'lazy';
  const { policy }: { readonly policy: string } = plan;
  return { ...plan, ...(isLazy && { program: 'best-first' }), ...(policy === 'fast' && { policy: 'boost' }) };
}

/** Drops rules that only a former version had: the search continues with those of its policy. */
function knownOptions(options: SearchPlan['policyOptions']): SearchPlan['policyOptions'] {
  const knobs = turnedKnobs();
  const known = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(knobs, name) && complaint(knobs[name]!, value) === undefined,
  );
  return Object.fromEntries(known) as SearchPlan['policyOptions'];
}

/** Reads an ended search with its log. Its record must have texts. */
export async function readBack(journal: Journal, record: SearchRecord): Promise<LiveSearch> {
  const search = searchOf(record, record.request?.plan as SearchPlan);
  await replayLog(journal, search);
  return search;
}
