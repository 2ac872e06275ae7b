// The contract between a generator and a reward model that share one GPU.

export interface SharedGpu {
  /** The generator holds the GPU: the reward model waits. */
  readonly isTaken: boolean;
  /** Calls back when the reward model begins or ends while the generator decodes. */
  onChange(replan: () => void): void;
  /** Calls back when the generator becomes idle. */
  onRest(resume: () => void): void;
  /** `work`: decoding sequences, or new tokens of the current pass; 0 when idle. */
  set(user: 'generator' | 'rewardModel', work: number): void;
  /** Slowdown of `user` by the other one. */
  factor(user: 'generator' | 'rewardModel'): number;
}
