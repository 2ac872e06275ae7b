// What a search has guessed: the draws that were grown ahead of its program, and which of them the program came to ask for, whether
// they had come by then or not. Only counts: no decision rests on a single guess. One that had to yield before it could be judged
// says nothing of how well distance and depth are foreseen; by rank, where it is weighed what a guess is worth, it counts like a
// wrong one, since it has cost time and gives nothing. Taken back at the instant at which it was made, it has cost nothing either.

import { type Guesses, guessesAt, sumOfGuesses } from '../../log/guesses.ts';
import type { DrawKey } from '../../tree/keys.ts';

interface GuessPlace {
  /** How many guesses its search had open when it was made, itself included. */
  readonly rank: number;
  /** Steps ahead of the tree: 1 for a child of a node. */
  readonly distance: number;
  readonly depth: number;
  readonly madeMs: number;
}

export class GuessLog {
  readonly #open = new Map<DrawKey, GuessPlace>();
  /** Each from the first on. */
  readonly byRank: Guesses[] = [];
  readonly byDistance: Guesses[] = [];
  readonly byDepth: Guesses[] = [];

  add(draw: DrawKey, place: GuessPlace): void {
    this.#open.set(draw, place);
    this.#count(place, 'guessed');
  }

  /** The program asks for a draw: where that was guessed, the guess was right. */
  asked(draw: DrawKey): void {
    const place = this.#open.get(draw);
    if (place !== undefined) this.#count(place, 'right');
    this.#open.delete(draw);
  }

  /** It had to yield; where the program asks for it later, it is drawn anew. */
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
