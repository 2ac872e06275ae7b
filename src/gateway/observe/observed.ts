// What metrics, traces and the overview read of searches and models. The gateway's own classes have these shapes; nothing
// here knows how searches are kept, so that what observes can stand below what is observed.

import type { SearchPlan } from '../../answering/plan/search-plan.ts';
import type { ModelConfig } from '../../config/schema.ts';
import type { Embedder } from '../../embedder/embedder.ts';
import type { Engine } from '../../engine/engine.ts';
import type { JournalHealth, SearchState } from '../../journal/journal.ts';
import type { GrowthTotals } from '../../log/growth-meter.ts';
import type { Servers } from '../../scheduler/cycle.ts';
import type { Pace } from '../../scheduler/forecast.ts';
import type { Tree } from '../../tree/tree.ts';
import type { Verifier } from '../../verifier/verifier.ts';
import type { TraceContext } from '../http/exchange.ts';
import type { ClientResult } from '../wire/result-json.ts';
import type { SummaryJson } from '../wire/search-json.ts';

export interface ObservedSearch {
  readonly id: string;
  readonly facts: {
    readonly id: string;
    readonly owner: string;
    readonly plan: SearchPlan;
    readonly background: boolean;
    readonly createdMs: number;
    readonly title: string;
    readonly trace?: TraceContext;
  };
  readonly state: SearchState;
  /** Of those that wait the lowest is next; see scheduler/turns/turn.ts. */
  readonly turn: number;
  readonly epoch: number;
  readonly summary: SummaryJson;
  /** Its log as far as it is read; one that never ran here has no tree. */
  readonly fold?: { readonly tree?: Tree | undefined };
}

export interface ObservedEnd {
  readonly endedMs: number;
  /** Undefined where it never ran. */
  readonly result: ClientResult | undefined;
  readonly error: { readonly code: string } | undefined;
}

export interface ObservedModel {
  readonly name: string;
  readonly config: Pick<ModelConfig, 'engine' | 'verifier' | 'budget'>;
  readonly engine: Pick<Engine, 'load'>;
  readonly verifier: Pick<Verifier, 'load'> | undefined;
  readonly embedder: Pick<Embedder, 'load'> | undefined;
  readonly runtime: {
    readonly leasesTaken: number;
    readonly servers: Servers | undefined;
    readonly waiting: { readonly size: number };
    readonly queueAgeMs: number;
    readonly queue: {
      readonly wantedStrands: number;
      readonly budget: number;
      readonly backWaitMs: number;
      readonly pace: Pace | undefined;
    };
  };
  readonly growth: { readonly total: GrowthTotals };
  readonly healthy: boolean;
}

export interface ObservedJournal {
  readonly trouble: string | undefined;
  health(): JournalHealth;
}

export interface ObservedSearches {
  readonly live: Iterable<ObservedSearch>;
  readonly models: ReadonlyMap<string, ObservedModel>;
  readonly admission: { readonly waiting: number; readonly running: number };
}
