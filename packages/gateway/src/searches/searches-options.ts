// Options of a gateway's searches, and of one search.

import type { OpenModel } from '@coppice/core/answering';
import type { Clock, Timers } from '@coppice/core/base';
import type { Config } from '@coppice/core/config';
import type { Cluster, Journal, Plain } from '@coppice/core/journal';
import type { Loop, ServedModels } from '../models/served-model.ts';
import type { Log } from '../observe/log.ts';
import type { Ended, LiveSearch } from './live-search.ts';

export interface SearchesOptions {
  readonly config: Config;
  readonly models: readonly OpenModel[];
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  /** Set if several nodes share the journal: background searches go through the queue between them. */
  readonly cluster?: Cluster;
  /** Called when the cost is final and the end is in the journal. */
  readonly onEnded?: (search: LiveSearch, ended: Ended) => void;
  /** Called when a search has left this process, whichever node ended it. */
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
}

export interface Known {
  readonly known: string;
}

export interface ObservedSearches {
  readonly live: Iterable<LiveSearch>;
  readonly models: ServedModels;
  readonly admission: { readonly waiting: number; readonly running: number };
}
