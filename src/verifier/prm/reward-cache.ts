// Rewards that are known: by search, parent and the step's text. Forgotten with the search.

import type { ScoreRequest } from '../verifier.ts';

export class RewardCache {
  readonly #bySearch = new Map<string, Map<string, number>>();

  get({ search, parent, step }: ScoreRequest): number | undefined {
    return this.#bySearch.get(search)?.get(keyOf(parent, step.text));
  }

  set({ search, parent, step }: ScoreRequest, reward: number): void {
    const known = this.#bySearch.get(search) ?? new Map<string, number>();
    known.set(keyOf(parent, step.text), reward);
    this.#bySearch.set(search, known);
  }

  release(search: string): void {
    this.#bySearch.delete(search);
  }
}

function keyOf(parent: number, text: string): string {
  return `${parent}\n${text}`;
}
