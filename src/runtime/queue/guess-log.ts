// What a search has guessed: the draws that were grown ahead of its program, each with its rank (how many guesses the search had
// open when it was made, itself included), and which of them the program came to ask for. Only counts: no decision rests
// on a single guess. One that was taken back before it could be judged is not counted.

import type { DrawKey } from '../../tree/keys.ts';

/** GuessLog of one rank. */
export interface RankTally {
  made: number;
  right: number;
}

export class GuessLog {
  readonly #open = new Map<DrawKey, number>();
  /** From the first rank on. */
  readonly byRank: RankTally[] = [];

  add(draw: DrawKey, rank: number): void {
    this.#open.set(draw, rank);
    while (this.byRank.length < rank) this.byRank.push({ made: 0, right: 0 });
    this.byRank[rank - 1]!.made += 1;
  }

  /** The program asks for a draw: where that was guessed, the guess was right. */
  asked(draw: DrawKey): void {
    const rank = this.#open.get(draw);
    if (rank !== undefined) this.byRank[rank - 1]!.right += 1;
    this.#open.delete(draw);
  }

  /** It was taken back: nobody knows whether it was right. */
  withdrawn(draw: DrawKey): void {
    const rank = this.#open.get(draw);
    if (rank !== undefined) this.byRank[rank - 1]!.made -= 1;
    this.#open.delete(draw);
  }

  get total(): RankTally {
    const total = { made: 0, right: 0 };
    for (const { made, right } of this.byRank) {
      total.made += made;
      total.right += right;
    }
    return total;
  }
}
