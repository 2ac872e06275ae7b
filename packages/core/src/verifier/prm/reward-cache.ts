// Known rewards by search, parent and the step's text.

import type { Judgement } from '../judging-verifier.ts';
import type { ScoreRequest } from '../verifier.ts';

export class RewardCache {
  /** A bare text is hashed once in its life, one joined to a key at every look. */
  readonly #bySearch = new Map<string, Map<number, Map<string, Judgement>>>();

  get({ search, parent, step }: ScoreRequest): Judgement | undefined {
    return this.#bySearch.get(search)?.get(parent)?.get(step.text);
  }

  set({ search, parent, step }: ScoreRequest, judgement: Judgement): void {
    const parents = this.#bySearch.get(search) ?? new Map<number, Map<string, Judgement>>();
    const known = parents.get(parent) ?? new Map<string, Judgement>();
    known.set(step.text, judgement);
    parents.set(parent, known);
    this.#bySearch.set(search, parents);
  }

  release(search: string): void {
    this.#bySearch.delete(search);
  }
}
