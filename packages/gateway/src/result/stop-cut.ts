// Where a client's stop strings end the text that it is told. The search itself reads whole paths: a stop ends no step and no path.
// Takes a text in pieces of any size and gives the same cut for all of them; each character is looked at once for each string.

import type { SearchPlan } from '@coppice/core/answering';

/** Of one generation without search the engine gets them as delimiters. */
export function stopsOf({ mode, delimiters, stops = [] }: Pick<SearchPlan, 'mode' | 'delimiters' | 'stops'>) {
  return mode === 'direct' ? delimiters : stops;
}

export class StopCut {
  readonly #stops: readonly string[];
  /** What could be the beginning of a stop string is held back. */
  readonly #hold: number;
  #held = '';
  #matched: string | undefined;

  constructor(stops: readonly string[]) {
    this.#stops = stops;
    this.#hold = Math.max(0, ...stops.map(({ length }) => length - 1));
  }

  get matched(): string | undefined {
    return this.#matched;
  }

  /** What of the text so far is certain to be told, and was not given before. */
  push(text: string): string {
    if (this.#matched !== undefined) return '';
    const seen = this.#held + text;
    const stop = firstToEnd(seen, this.#stops);
    this.#matched = stop?.text;
    const upTo = stop?.begins ?? Math.max(0, seen.length - this.#hold);
    this.#held = seen.slice(upTo);
    return seen.slice(0, upTo);
  }

  /** What was held back, where the text ends without a stop string. */
  rest(): string {
    return this.#matched === undefined ? this.#held : '';
  }
}

export function cutAtStop(text: string, stops: readonly string[]): { readonly text: string; readonly stop?: string } {
  const cut = new StopCut(stops);
  const told = cut.push(text) + cut.rest();
  return cut.matched === undefined ? { text: told } : { text: told, stop: cut.matched };
}

/** As a server finds them that looks after every character: the first that is complete, of those that end together the longest. */
function firstToEnd(text: string, stops: readonly string[]) {
  let first: { readonly begins: number; readonly ends: number; readonly text: string } | undefined;
  for (const stop of stops) {
    const begins = text.indexOf(stop);
    const ends = begins + stop.length;
    if (begins < 0 || (first && (ends > first.ends || (ends === first.ends && begins > first.begins)))) continue;
    first = { begins, ends, text: stop };
  }
  return first;
}
