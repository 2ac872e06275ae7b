// One GPU that holds a generator and a reward model: while both work, each takes a measured number of times as long. Knows
// who works, and tells whoever must plan anew when that changes.

import { assert } from '../../base/assert.ts';

export type GpuUser = 'generator' | 'rewardModel';

/** How many times as long each takes while the other works. */
export type Slowdown = Readonly<Record<GpuUser, number>>;

const others = { generator: 'rewardModel', rewardModel: 'generator' } as const;

export class SharedGpu {
  readonly #slowdown: Slowdown;
  readonly #working: Record<GpuUser, boolean> = { generator: false, rewardModel: false };
  #replan: () => void = () => {};

  constructor(slowdown: Slowdown) {
    assert(slowdown.generator >= 1 && slowdown.rewardModel >= 1, 'company does not make a model faster');
    this.#slowdown = slowdown;
  }

  /** Called when the reward model begins or ends while the generator decodes. */
  onChange(replan: () => void): void {
    this.#replan = replan;
  }

  set(user: GpuUser, working: boolean): void {
    if (this.#working[user] === working) return;
    this.#working[user] = working;
    if (user === 'rewardModel' && this.#working.generator) this.#replan();
  }

  factor(user: GpuUser): number {
    return this.#working[others[user]] ? this.#slowdown[user] : 1;
  }
}
