// What the searches of a gateway are made of, and what a caller says when it starts one.

import type { OpenModel } from '@coppice/core/answering';
import type { Clock, Timers } from '@coppice/core/base';
import type { Config } from '@coppice/core/config';
import type { Cluster, Journal, Plain } from '@coppice/core/journal';
import type { TraceContext } from '../http/exchange.ts';
import type { Loop, ServedModels } from '../models/served-model.ts';
import type { Log } from '../observe/log.ts';
import type { Ended, LiveSearch } from './live-search.ts';

export interface SearchesOptions {
  readonly config: Config;
  readonly models: readonly OpenModel[];
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  /** Where several nodes share the journal: background searches go through the queue between them. */
  readonly cluster?: Cluster;
  /** Told of every search that this process has ended, when its cost is final and its end is in the journal. */
  readonly onEnded?: (search: LiveSearch, ended: Ended) => void;
  /** Told when it is not here any more, whichever node ended it. */
  readonly onFinished?: (id: string) => void;
  readonly timers?: Timers;
  readonly loop?: () => Loop;
}

export interface NewSearchOptions {
  readonly background: boolean;
  readonly body: Plain;
  readonly chat?: Plain;
  readonly idempotencyKey?: string;
  readonly title?: string;
  readonly trace?: TraceContext | undefined;
}

/** A search that exists already under the same idempotency key. */
export interface Known {
  readonly known: string;
}

/** What metrics and the overview read of all searches. */
export interface ObservedSearches {
  readonly live: Iterable<LiveSearch>;
  readonly models: ServedModels;
  readonly admission: { readonly waiting: number; readonly running: number };
}
