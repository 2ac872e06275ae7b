// What every handler is given.

import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../config/schema.ts';
import type { Journal } from '../../journal/journal.ts';
import { ApiError, journalTrouble } from '../http/api-error.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Overview } from '../observe/overview.ts';
import type { Searches } from '../searches/searches.ts';

export interface GatewayContext {
  readonly config: Config;
  readonly searches: Searches;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly overview: Overview;
  readonly streams: StreamLimit;
}

/** A search that the journal cannot keep is not begun. */
export function requireJournal({ journal }: GatewayContext): void {
  if (journal.trouble !== undefined) throw journalTrouble();
}

/** Connections that stay open: event streams and answers that are waited for. */
export class StreamLimit {
  readonly #limit: number;
  #open = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get open(): number {
    return this.#open;
  }

  take(): () => void {
    if (this.#open >= this.#limit) {
      const message = `${this.#open} streams are open, the limit (server.streams)`;
      throw new ApiError('too_many_streams', message, { retryAfterSeconds: 5 });
    }
    this.#open += 1;
    let held = true;
    return () => {
      if (held) this.#open -= 1;
      held = false;
    };
  }
}
