// What a search has guessed: the draws that were grown ahead of its program, and which of them the program came to ask for, whether
// they had come by then or not. Only counts: no decision rests on a single guess. One that was taken back before it could be
// judged is not counted.

import { type Guesses, guessesAt, sumOfGuesses } from '../../log/guesses.ts';
import type { DrawKey } from '../../tree/keys.ts';

export interface GuessPlace {
  /** How many guesses its search had open when it was made, itself included. */
  readonly rank: number;
  /** Steps ahead of the tree: 1 for a child of a node. */
  readonly distance: number;
  /** Of the step in its path, from 1. */
  readonly depth: number;
}

export class GuessLog {
  readonly #open = new Map<DrawKey, GuessPlace>();
  /** Each from the first on. */
  readonly byRank: Guesses[] = [];
  readonly byDistance: Guesses[] = [];
  readonly byDepth: Guesses[] = [];

  add(draw: DrawKey, place: GuessPlace): void {
    this.#open.set(draw, place);
    this.#count(place, 'guessed', 1);
  }

  /** The program asks for a draw: where that was guessed, the guess was right. */
  asked(draw: DrawKey): void {
    const place = this.#open.get(draw);
    if (place !== undefined) this.#count(place, 'right', 1);
    this.#open.delete(draw);
  }

  /** It was taken back: nobody knows whether it was right. */
  withdrawn(draw: DrawKey): void {
    const place = this.#open.get(draw);
    if (place !== undefined) this.#count(place, 'guessed', -1);
    this.#open.delete(draw);
  }

  get total(): Guesses {
    return sumOfGuesses(this.byRank);
  }

  #count({ rank, distance, depth }: GuessPlace, of: keyof Guesses, by: number): void {
    guessesAt(this.byRank, rank)[of] += by;
    guessesAt(this.byDistance, distance)[of] += by;
    guessesAt(this.byDepth, depth)[of] += by;
  }
}
