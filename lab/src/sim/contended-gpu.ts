// One GPU with a generator and a reward model: while both work, each is slower by a measured factor. Or they alternate: the reward model waits until
// the generator is idle. Tracks the work of both, and notifies the one that must plan anew when the other's changes.

import { assert } from '@coppice/core/base';
import { type GpuUser, type SlowdownTable, slowdownAt } from './slowdown.ts';

const others = { generator: 'rewardModel', rewardModel: 'generator' } as const;

export class ContendedGpu {
  readonly #slowdown: SlowdownTable;
  readonly #alternates: boolean;
  /** Sequences that decode, and new tokens of the pass under way; 0: rests. */
  readonly #work: Record<GpuUser, number> = { generator: 0, rewardModel: 0 };
  #replan: () => void = () => {};
  #resume: () => void = () => {};

  constructor(slowdown: SlowdownTable, alternates = false) {
    const factors = [slowdown.generator, slowdown.rewardModel].flat(2);
    assert(
      factors.every((each) => each >= 1),
      'company does not make a model faster',
    );
    this.#slowdown = slowdown;
    this.#alternates = alternates;
  }

  /** Called when the reward model begins or ends while the generator decodes. */
  onChange(replan: () => void): void {
    this.#replan = replan;
  }

  /** Called when the generator comes to rest. */
  onRest(resume: () => void): void {
    this.#resume = resume;
  }

  /** Whether the reward model has to wait for the generator. */
  get isTaken(): boolean {
    return this.#alternates && this.#work.generator > 0;
  }

  set(user: GpuUser, work: number): void {
    if (this.#work[user] === work) return;
    this.#work[user] = work;
    if (user === 'rewardModel' && this.#work.generator > 0) this.#replan();
    if (user === 'generator' && work === 0) this.#resume();
  }

  factor(user: GpuUser): number {
    if (this.#work[others[user]] === 0) return 1;
    return slowdownAt(this.#slowdown, user, this.#work.generator, this.#work.rewardModel);
  }
}
