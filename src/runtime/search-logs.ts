// The logs of the searches: what happens in one goes to the listener with its number, in order; the log of a search from a former
// process is asked for when it is needed, once.

import type { SearchEvent } from '../log/events.ts';
import { guard } from './guard/guard.ts';
import type { RuntimeOptions } from './options.ts';
import type { Search } from './search/search.ts';

export class SearchLogs {
  readonly #options: Pick<RuntimeOptions, 'clock' | 'onEvent' | 'onLogWanted'>;

  constructor(options: Pick<RuntimeOptions, 'clock' | 'onEvent' | 'onLogWanted'>) {
    this.#options = options;
  }

  add(search: Search, event: SearchEvent): void {
    const { onEvent, clock } = this.#options;
    const logged = search.fold.next(search.id, clock.nowMs(), event);
    if (onEvent === undefined) return;
    guard(search, 'listener', onEvent, 'onEvent', () => onEvent(logged, search.fold), undefined);
  }

  /** Without its log a search from a former process neither runs nor has an answer. */
  want(search: Search): void {
    if (search.log === 'asked') return;
    search.log = 'asked';
    this.#options.onLogWanted?.(search.id);
  }
}
