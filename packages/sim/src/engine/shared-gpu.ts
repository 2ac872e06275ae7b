// The GPU that a generator and a reward model share, as either sees it.

export interface SharedGpu {
  /** The reward model has to wait for the generator. */
  readonly isTaken: boolean;
  /** Calls back when the reward model begins or ends while the generator decodes. */
  onChange(replan: () => void): void;
  /** Calls back when the generator comes to rest. */
  onRest(resume: () => void): void;
  /** `work`: sequences that decode, or new tokens of the pass under way; 0 at rest. */
  set(user: 'generator' | 'rewardModel', work: number): void;
  /** Slowdown of `user` in company. */
  factor(user: 'generator' | 'rewardModel'): number;
}
