// Cuts the text for a client at its stop strings. The search itself reads whole paths: a stop ends no step and no path. The cut does not
// depend on the sizes of the pieces.

import type { SearchPlan } from '@coppice/core/answering';

/** A generation without search gives its stops to the engine as delimiters. */
export function stopsOf({ mode, delimiters, stops }: Pick<SearchPlan, 'mode' | 'delimiters' | 'stops'>) {
  return stops ?? (mode === 'direct' ? delimiters : []);
}

export class StopCut {
  readonly #stops: readonly string[];
  /** Holds back what could begin a stop string. */
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

  push(text: string): string {
    if (this.#matched !== undefined) return '';
    const seen = this.#held + text;
    const stop = firstToEnd(seen, this.#stops);
    this.#matched = stop?.text;
    const upTo = stop?.begins ?? Math.max(0, seen.length - this.#hold);
    this.#held = seen.slice(upTo);
    return seen.slice(0, upTo);
  }

  rest(): string {
    return this.#matched === undefined ? this.#held : '';
  }
}

export function cutAtStop(text: string, stops: readonly string[]): { readonly text: string; readonly stop?: string } {
  const cut = new StopCut(stops);
  const told = cut.push(text) + cut.rest();
  return cut.matched === undefined ? { text: told } : { text: told, stop: cut.matched };
}

/** The stop string that is complete first, the longest of those that end together: as servers find it that look after every character. */
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
