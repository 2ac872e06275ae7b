// The description of a simulated cluster: its size, GPUs, load and faults. Plain data, so that a group can run in a thread of its own.

export const faultNames = ['rack', 'node', 'slow', 'flood'] as const;
export type FaultName = (typeof faultNames)[number];

export const gpuChoices = ['mixed', 'h200', 'a100'] as const;

/** One database with its nodes and GPUs. */
export interface GroupSpec {
  readonly seed: number;
  readonly group: number;
  readonly replicas: number;
  readonly nodes: number;
  readonly databaseCores: number;
  /** Of the generator, for each server of the reward model. */
  readonly replicasPerScorer: number;
  readonly searches: number;
  readonly minutes: number;
  readonly rollouts: number;
  /** `day`: the rate rises from half to one and a half times the mean and falls again. */
  readonly load: 'day' | 'flat';
  readonly faults: readonly FaultName[];
  /** `ideal`: nodes and database cost nothing, and a way takes no longer. */
  readonly capacity: 'measured' | 'ideal';
  /** Which kind each replica is: two in turn, or one alone. */
  readonly gpus: (typeof gpuChoices)[number];
  /** `positive` has one strand a search: then the same search takes the same steps whatever the times are. */
  readonly policy: 'safe' | 'positive';
  /** More is asked for than can be served: the run ends with its minutes, whatever is still to be answered. */
  readonly isSaturated?: boolean;
  /** As `npm run bench -- nodes` has it: all on one machine of two cores, a fast engine for each node, clients that wait. */
  readonly isBench?: boolean;
}
