// What the searches of a gateway are made of, and what a caller says when it starts one.

import type { OpenModel } from '../../answering/models/open-model.ts';
import type { Clock } from '../../base/clock.ts';
import type { Timers } from '../../base/timers.ts';
import type { Config } from '../../config/schema.ts';
import type { Cluster } from '../../journal/cluster.ts';
import type { Journal, Plain } from '../../journal/journal.ts';
import type { TraceContext } from '../http/trace-context.ts';
import type { Loop } from '../models/served-model.ts';
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
  /** Alarms; real ones unless given. */
  readonly timers?: Timers;
  /** What steps the runtime of a model; timers unless given. */
  readonly loop?: () => Loop;
}

export interface NewSearchOptions {
  readonly background: boolean;
  readonly body: Plain;
  /** The chat that is searched, where the body is not one. */
  readonly chat?: Plain;
  readonly idempotencyKey?: string;
  readonly title?: string;
  readonly trace?: TraceContext | undefined;
}

/** A search that exists already under the same idempotency key. */
export interface Known {
  readonly known: string;
}
