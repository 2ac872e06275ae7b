// Counts the guesses of a search and how many the program came to ask for. A withdrawn guess counts for neither distance nor depth; by
// rank, where its worth is weighed, it counts as wrong, unless it was withdrawn at the instant it was made.

import { type Guesses, guessesAt, sumOfGuesses } from '../../log/guesses.ts';
import type { DrawKey } from '../../tree/keys.ts';

interface GuessPlace {
  /** Open guesses of the search when it was made, itself included. */
  readonly rank: number;
  /** Steps ahead of the tree: 1 for a child of a node. */
  readonly distance: number;
  readonly depth: number;
  readonly madeMs: number;
}

export class GuessLog {
  readonly #open = new Map<DrawKey, GuessPlace>();
  readonly byRank: Guesses[] = [];
  readonly byDistance: Guesses[] = [];
  readonly byDepth: Guesses[] = [];

  add(draw: DrawKey, place: GuessPlace): void {
    this.#open.set(draw, place);
    this.#count(place, 'guessed');
  }

  asked(draw: DrawKey): void {
    const place = this.#open.get(draw);
    if (place !== undefined) this.#count(place, 'right');
    this.#open.delete(draw);
  }

  /** Drawn anew if the program asks for it later. */
  withdrawn(draw: DrawKey, nowMs: number): void {
    const place = this.#open.get(draw);
    this.#open.delete(draw);
    if (place === undefined) return;
    this.#countPlace(place, 'guessed', -1);
    if (place.madeMs === nowMs) guessesAt(this.byRank, place.rank).guessed -= 1;
  }

  get total(): Guesses {
    return sumOfGuesses(this.byRank);
  }

  #count(place: GuessPlace, of: keyof Guesses): void {
    guessesAt(this.byRank, place.rank)[of] += 1;
    this.#countPlace(place, of, 1);
  }

  #countPlace({ distance, depth }: GuessPlace, of: keyof Guesses, by: number): void {
    guessesAt(this.byDistance, distance)[of] += by;
    guessesAt(this.byDepth, depth)[of] += by;
  }
}
