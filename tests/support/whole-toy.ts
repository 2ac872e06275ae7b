// The toy engine with whole paths: each step has the seed of a request of its own, so that a search can be compared with the same one in steps.

import type { GenerateRequest, PathStep } from '../../packages/core/src/engine/engine.ts';
import { drawSeed, formKey, type NodeKey, nodeKey } from '../../packages/core/src/tree/keys.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import { type Misfortune, ToyEngine, type ToyQuestion, type ToyWorld } from './toy.ts';

export class WholeToyEngine extends ToyEngine {
  readonly #searchSeed: number;
  /** Number of draws below each node: samples that share a beginning continue with different draws. */
  readonly #taken = new Map<NodeKey, number>();

  constructor(
    world: ToyWorld,
    storm: Misfortune,
    seed: number,
    question: ToyQuestion,
    searchSeed: number,
    wholes = true,
  ) {
    super(world, storm, seed, question);
    this.capabilities.wholes = wholes;
    this.#searchSeed = searchSeed;
  }

  override step(request: GenerateRequest): Step {
    if (!request.whole) return { ...super.step(request), meanLogprob: 0 };
    const form = formKey(request.sampling);
    const path: PathStep[] = [...request.path];
    const drawn: Step[] = [];
    let [parent, seed] = [request.parent, request.seed];
    this.#taken.set(parent, Math.max(request.index + 1, this.#taken.get(parent) ?? 0));
    for (;;) {
      const step = super.step({ ...request, parent, path, seed });
      drawn.push(step);
      if (step.end === 'eos') break;
      parent = nodeKey(parent, step);
      path.push({ key: parent, step });
      const index = this.#taken.get(parent) ?? 0;
      this.#taken.set(parent, index + 1);
      seed = drawSeed(this.#searchSeed, parent, index, form);
    }
    const tokens = drawn.reduce((sum, each) => sum + each.tokens, 0);
    return { text: drawn.map(({ text }) => text).join(''), tokens, meanLogprob: 0, end: 'eos' };
  }
}
