// The logs of the searches: each event goes to the listener at once, and the events of one step go to the journal as one entry. The log of
// a revived search is asked for once, when it is needed.

import { entryOf } from '../../log/entry.ts';
import type { LoggedEvent, SearchEvent } from '../../log/events.ts';
import { guard } from '../guard/guard.ts';
import type { Search } from '../search/search.ts';
import type { RuntimeOptions } from './options.ts';

type LogOptions = Pick<RuntimeOptions, 'clock' | 'onEvent' | 'onEntry' | 'onLogWanted'>;

export class SearchLogs {
  readonly #options: LogOptions;
  readonly #open = new Map<Search, LoggedEvent[]>();

  constructor(options: LogOptions) {
    this.#options = options;
  }

  add(search: Search, event: SearchEvent): void {
    const { onEvent, clock } = this.#options;
    const open = this.#open.get(search);
    const atMs = open?.[0]?.atMs ?? clock.nowMs();
    const logged = search.fold.next(search.id, atMs, event, open !== undefined);
    if (open === undefined) this.#open.set(search, [logged]);
    else open.push(logged);
    if (onEvent === undefined) return;
    guard(search, 'listener', onEvent, 'onEvent', () => onEvent(logged, search.fold), undefined);
  }

  endEntries(): void {
    const { onEntry } = this.#options;
    for (const [search, events] of this.#open) {
      this.#open.delete(search);
      if (onEntry === undefined) continue;
      guard(search, 'listener', onEntry, 'onEntry', () => onEntry(entryOf(events), search.fold), undefined);
    }
  }

  /** Without its log a revived search neither runs nor has an answer. */
  want(search: Search): void {
    if (search.log === 'asked') return;
    search.log = 'asked';
    this.#options.onLogWanted?.(search.id);
  }
}
