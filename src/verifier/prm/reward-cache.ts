// Rewards that are known: by search, parent and the step's text. Forgotten with the search.

import type { ScoreRequest } from '../verifier.ts';

/** As it was told. */
export interface KnownReward {
  readonly reward: number;
  readonly feedback?: string;
}

export class RewardCache {
  readonly #bySearch = new Map<string, Map<string, KnownReward>>();

  get({ search, parent, step }: ScoreRequest): KnownReward | undefined {
    return this.#bySearch.get(search)?.get(keyOf(parent, step.text));
  }

  set({ search, parent, step }: ScoreRequest, judgement: KnownReward): void {
    const known = this.#bySearch.get(search) ?? new Map<string, KnownReward>();
    known.set(keyOf(parent, step.text), judgement);
    this.#bySearch.set(search, known);
  }

  release(search: string): void {
    this.#bySearch.delete(search);
  }
}

function keyOf(parent: number, text: string): string {
  return `${parent}\n${text}`;
}
