// The generator's real text by node key: a rehearsed tree holds the question model's steps, but servers must be asked below their own
// tokens. Forgotten with the search.

import type { PathStep } from '@coppice/core/engine';
import type { NodeKey, Prompt, Step } from '@coppice/core/tree';

interface RealSearch {
  readonly prompt: Prompt;
  readonly steps: Map<NodeKey, Step>;
}

export class RealSteps {
  readonly #searches = new Map<string, RealSearch>();

  prompt(search: string, make: () => Prompt): Prompt {
    const known = this.#searches.get(search) ?? { prompt: make(), steps: new Map() };
    this.#searches.set(search, known);
    return known.prompt;
  }

  /** Steps of released searches are not kept. */
  keep(search: string, key: NodeKey, step: Step): void {
    this.#searches.get(search)?.steps.set(key, step);
  }

  step(search: string, key: NodeKey, otherwise: Step): Step {
    return this.#searches.get(search)?.steps.get(key) ?? otherwise;
  }

  path(search: string, path: readonly PathStep[]): PathStep[] {
    return path.map(({ key, step }) => ({ key, step: this.step(search, key, step) }));
  }

  release(search: string): void {
    this.#searches.delete(search);
  }
}
