// Sweeps ended searches, files and batches out of the journal every minute, in slices, so that requests come in between.

import { nextSlice } from '@coppice/core/base';
import type { SearchesOptions } from './searches/searches-options.ts';

const sweepMs = 60_000;
const sliceSearches = 200;
/** About 3 GB at the 28 kB of a simulated search of 8 rollouts. */
const keepSearches = 100_000;

type SweptJournal = Pick<SearchesOptions, 'config' | 'journal' | 'clock' | 'log'>;

export function sweepJournal(swept: SweptJournal): () => void {
  const timer = setInterval(() => void sweep(swept), sweepMs).unref();
  return () => clearInterval(timer);
}

async function sweep({ config, journal, clock, log }: SweptJournal): Promise<void> {
  if (journal.trouble !== undefined) return;
  const { retentionMs } = config.journal;
  const slice = { endedBeforeMs: clock.nowMs() - retentionMs, keepSearches, atMost: sliceSearches };
  try {
    while ((await journal.sweep(slice)) === sliceSearches) await nextSlice();
    await journal.documents.expire(clock.nowMs(), sliceSearches);
  } catch (error) {
    log.error('sweep', { error });
  }
}
