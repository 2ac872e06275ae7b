// The share of guesses that are right, by rank, from ended searches only: guesses of running ones may still be asked for. Old ones fade.

import type { Guesses } from '../../log/guesses.ts';

const memoryChildren = 512;
/** Prior of a rank: a little worse than the rank before it, worth so many children. */
const priorChildren = 16;
const priorChance = 0.7;
const worseByRank = 0.9;

export class GuessMeter {
  readonly #byRank: Guesses[] = [];
  /** Hit rates by rank, never rising; the last one holds for all higher ranks. */
  chances: readonly number[] = [priorChance];

  ended(tallies: readonly Guesses[]): void {
    if (tallies.every(({ guessed }) => guessed === 0)) return;
    tallies.forEach(({ guessed, right }, at) => {
      const known = this.#byRank[at] ?? { guessed: 0, right: 0 };
      const kept = Math.max(0, 1 - guessed / memoryChildren);
      this.#byRank[at] = { guessed: kept * known.guessed + guessed, right: kept * known.right + right };
    });
    this.chances = this.#fitted();
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
