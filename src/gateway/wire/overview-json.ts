// One frame of `/v1/overview`, and what the page reads of models and examples. Types only.

import type { SearchState } from '../../journal/journal.ts';
import type { Evidence } from '../../log/end.ts';

export interface ModelLoadJson {
  readonly name: string;
  readonly engine: string;
  /** Engine and verifier both answer. */
  readonly healthy: boolean;
  readonly engine_healthy: boolean;
  /** Null where nothing scores. */
  readonly verifier: VerifierLoadJson | null;
  readonly budget: number;
  readonly open_strands: number;
  readonly running_sequences: number;
  readonly waiting_sequences: number;
  readonly step_ms: number | null;
  /** Of a draft model that was tried at the start: how many times as fast it was, and whether it is used; null where none was named. */
  readonly drafting: { readonly gain: number; readonly used: boolean } | null;
  /** Forecast for a search that comes now. */
  readonly expected_wait_ms: number;
  /** What coppice has measured of both models from outside; null before there is enough. */
  readonly cost: ModelCostJson | null;
}

/** How long one step, and one score, takes alone, and how much longer for each other child that is on its way. */
export interface ModelCostJson {
  readonly engine: ServerCostJson;
  readonly verifier: ServerCostJson | null;
  readonly children_per_strand: number;
}

export interface ServerCostJson {
  readonly in_flight: number;
  readonly alone_ms: number;
  readonly each_more_ms: number;
}

export interface VerifierLoadJson {
  readonly kind: string;
  readonly healthy: boolean;
  /** Steps that wait to be scored. */
  readonly waiting: number;
  /** From asking for a score to having it, lately. */
  readonly score_ms: number | null;
}

export interface JournalHealthJson {
  readonly kind: string;
  readonly healthy: boolean;
  /** Writes that are not safe yet, and the age of the oldest. */
  readonly unwritten: number;
  readonly oldest_unwritten_ms: number;
  readonly failures: number;
  readonly bytes: number;
}

/** How the server stood at one moment: `event: history` holds those of the last 15 minutes. */
export interface SampleJson {
  readonly at_ms: number;
  /** Strands open, and those that may be. */
  readonly used: number;
  readonly total: number;
  readonly running: number;
  readonly waiting: number;
}

/** A running search in the overview's list. */
export interface ListedJson {
  readonly id: string;
  readonly title: string | null;
  readonly model: string;
  readonly state: SearchState;
  readonly primary: number;
  readonly speculative: number;
  /** Why it has this width: the scheduler's rule and the numbers it went by; null before the first decision. */
  readonly why: Evidence | null;
  readonly open_strands: number;
  readonly nodes: number;
  readonly rollouts: number;
  readonly rollout_limit: number;
  readonly best_score: number | null;
  readonly threshold: number;
  readonly age_ms: number;
}

/** One of several nodes that share a journal, as it stood a few seconds ago. */
export interface NodeJson {
  readonly name: string;
  readonly version: string;
  readonly models: readonly string[];
  /** The one that was asked. */
  readonly here: boolean;
  readonly silent_ms: number;
  readonly healthy: boolean;
  readonly budget: { readonly total: number; readonly used: number };
  readonly running: number;
}

export interface OverviewJson {
  readonly at_ms: number;
  readonly uptime_ms: number;
  readonly version: string;
  readonly models: readonly ModelLoadJson[];
  readonly journal: JournalHealthJson;
  readonly budget: { readonly total: number; readonly used: number };
  /** Those that share the journal; none where this process serves alone. The rest of the frame is of this one, but for `queue` and `searches`. */
  readonly nodes: readonly NodeJson[];
  readonly queue: { readonly waiting: number; readonly limit: number };
  /** `listed` holds what the reader's key may see. */
  readonly searches: { readonly running: number; readonly listed: readonly ListedJson[] };
  readonly exits: Readonly<Record<string, number>>;
  readonly tokens: Readonly<Record<string, number>>;
  readonly latency: { readonly p50_ms: number; readonly p99_ms: number; readonly count: number } | null;
  readonly refused: number;
  readonly event_loop_ms: number;
}

export interface ModelJson {
  readonly id: string;
}

export interface ExampleJson {
  readonly title: string;
  readonly question: string;
  /** The model that can answer it, where there are several. */
  readonly model?: string;
}
