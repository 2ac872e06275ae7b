// Agreement of answers: certaindex, P1 §3.1. Answers are counted by group; with n answers in groups of c the entropy is
// H = −Σ (c / n) log (c / n), at most log n, and the certainty 1 − H / log n. It is kept as one running sum, so that an answer
// costs the same however many there are.

import { meaningOf, type Said } from './groups.ts';

export class AnswerTally {
  readonly #counts = new Map<string, number>();
  answers = 0;
  /** Σ c log c over all groups. */
  #sum = 0;

  add(said: Said, count = 1): void {
    const key = meaningOf(said);
    if (key === undefined) return;
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + count);
    this.answers += count;
    this.#sum += entropyTerm(before + count) - entropyTerm(before);
  }

  /** From 0, where all answers differ, to 1, where all are the same; 0 until there are two. */
  get agreement(): number {
    const n = this.answers;
    // Differences of logarithms: a sum may miss 0 or 1 by a rounding error.
    return n < 2 ? 0 : Math.min(1, Math.max(0, this.#sum / entropyTerm(n)));
  }
}

function entropyTerm(count: number): number {
  return count < 2 ? 0 : count * Math.log(count);
}
