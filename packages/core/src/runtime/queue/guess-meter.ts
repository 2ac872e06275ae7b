// How often guesses are right, by rank, from the searches that have ended: of those that still run, many a guess is yet to be
// asked for. Old ones fade, so that the chances follow what is being served.

import type { Guesses } from '../../log/guesses.ts';

/** So many children of each rank count. */
const memory = 512;
/** A rank that was hardly tried is taken to be a little worse than the one before it, as if seen in so many children. */
const priorChildren = 16;
const priorChance = 0.7;
const worseByRank = 0.9;

export class GuessMeter {
  readonly #byRank: Guesses[] = [];
  #chances: number[] = [priorChance];

  ended(tallies: readonly Guesses[]): void {
    if (tallies.every(({ guessed }) => guessed === 0)) return;
    tallies.forEach(({ guessed, right }, at) => {
      const known = this.#byRank[at] ?? { guessed: 0, right: 0 };
      const kept = Math.max(0, 1 - guessed / memory);
      this.#byRank[at] = { guessed: kept * known.guessed + guessed, right: kept * known.right + right };
    });
    this.#chances = this.#fitted();
  }

  /** Of the first rank, the second and so on; it never rises. The last holds of all beyond it. */
  get chances(): readonly number[] {
    return this.#chances;
  }

  #fitted(): number[] {
    const chances: number[] = [];
    let before = priorChance;
    for (const { guessed, right } of this.#byRank) {
      const expected = chances.length === 0 ? before : worseByRank * before;
      const chance = (right + priorChildren * expected) / (guessed + priorChildren);
      before = chances.length === 0 ? chance : Math.min(before, chance);
      chances.push(before);
    }
    return chances;
  }
}
