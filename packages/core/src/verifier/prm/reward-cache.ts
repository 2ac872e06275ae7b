// Known rewards by search, parent and the step's text.

import type { ScoreRequest } from '../verifier.ts';

export interface KnownReward {
  readonly reward: number;
  readonly feedback?: string;
}

export class RewardCache {
  /** A bare text is hashed once in its life, one joined to a key at every look. */
  readonly #bySearch = new Map<string, Map<number, Map<string, KnownReward>>>();

  get({ search, parent, step }: ScoreRequest): KnownReward | undefined {
    return this.#bySearch.get(search)?.get(parent)?.get(step.text);
  }

  set({ search, parent, step }: ScoreRequest, judgement: KnownReward): void {
    const parents = this.#bySearch.get(search) ?? new Map<number, Map<string, KnownReward>>();
    const known = parents.get(parent) ?? new Map<string, KnownReward>();
    known.set(step.text, judgement);
    parents.set(parent, known);
    this.#bySearch.set(search, parents);
  }

  release(search: string): void {
    this.#bySearch.delete(search);
  }
}
