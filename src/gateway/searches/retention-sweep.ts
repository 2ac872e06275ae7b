// How long ended searches, files and batches stay in the journal: swept every minute, in slices, so that requests come in between.

import type { Clock } from '../../base/clock.ts';
import type { Config } from '../../config/schema.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Log } from '../observe/log.ts';

interface RetentionOptions {
  readonly config: Config;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
}

const sweepMs = 60_000;
const sliceSearches = 200;

export class RetentionSweep {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#sweep(), sweepMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #sweep(): Promise<void> {
    if (this.#options.journal.trouble !== undefined) return;
    const { config, journal, clock, log } = this.#options;
    const { retentionMs, keepSearches } = config.journal;
    const slice = { endedBeforeMs: clock.nowMs() - retentionMs, keepSearches, atMost: sliceSearches };
    try {
      while ((await journal.sweep(slice)) === sliceSearches) {
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      await journal.documents.expire(clock.nowMs(), sliceSearches);
    } catch (error) {
      log.error('sweep', { error });
    }
  }
}
