// Measures growth from the logs of searches as they are written: how fast paths were completed (P4 §6.1), and how often
// what was grown ahead was right, which a search says when it ends.

import type { NodeId, StrandId } from '../tree/events.ts';
import { eventsIn, type LogEntry } from './entry.ts';
import type { LoggedEvent } from './events.ts';
import type { SearchFold } from './fold.ts';
import { addGuesses, type Guesses } from './guesses.ts';

export interface GrowthTotals {
  /** Completed paths, their tokens, and the time from admission to the completion of each. */
  paths: number;
  pathTokens: number;
  pathMs: number;
  readonly byDistance: Guesses[];
  readonly byDepth: Guesses[];
}

/** Precise goodput: mean tokens of a completed path over the mean time that it took, in tokens per second. */
export function goodput({ pathTokens, pathMs }: Pick<GrowthTotals, 'pathTokens' | 'pathMs'>): number | undefined {
  return pathMs > 0 ? (1000 * pathTokens) / pathMs : undefined;
}

interface SeenSearch {
  readonly admittedMs: number;
  readonly strands: Map<StrandId, NodeId>;
}

export class GrowthMeter {
  readonly #searches = new Map<string, SeenSearch>();
  readonly total: GrowthTotals = { paths: 0, pathTokens: 0, pathMs: 0, byDistance: [], byDepth: [] };

  /** `fold`: of the search, with this entry in it, and perhaps later ones. */
  read(entry: LogEntry, fold: Pick<SearchFold, 'tree'>): void {
    for (const event of eventsIn(entry)) this.#read(event, fold);
  }

  #read({ search, event, atMs }: LoggedEvent, fold: Pick<SearchFold, 'tree'>): void {
    if (event.type === 'admitted' && !this.#searches.has(search))
      this.#searches.set(search, { admittedMs: atMs, strands: new Map() });
    const seen = this.#searches.get(search);
    if (seen === undefined) return;
    if (event.type === 'opened' || event.type === 'moved') seen.strands.set(event.strand, event.node);
    else if (event.type === 'closed') {
      const node = seen.strands.get(event.strand);
      seen.strands.delete(event.strand);
      const end = node === undefined ? undefined : fold.tree?.nodes[node];
      if (event.closing !== 'completed' || end === undefined) return;
      this.total.paths += 1;
      this.total.pathTokens += end.pathTokens;
      this.total.pathMs += atMs - seen.admittedMs;
    } else if (event.type === 'exited') {
      this.#searches.delete(search);
      addGuesses(this.total.byDistance, event.guesses?.byDistance ?? []);
      addGuesses(this.total.byDepth, event.guesses?.byDepth ?? []);
    }
  }
}
