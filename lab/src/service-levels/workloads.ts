// The questions, and the compared rows: orders between searches (P1 §5.3.1), with and without its exit of certainty.

import type { ProgramName } from 'coppice';
import type { RowName, TurnedWish } from '../service/index.ts';

export interface Workload {
  readonly name: string;
  /** As `--policy` chooses it. */
  readonly row: RowName;
  readonly program: ProgramName;
  /** Cap of P1 §6.3. */
  readonly rollouts: number;
  /** Those of its Table 2. */
  readonly caps: readonly number[];
  /** Strands that keep the engine full while the capacity is measured: ten times what it runs. */
  readonly strands: number;
  readonly knobs: TurnedWish;
  /** What rows with an exit stop by: thresholds of P1's Table 1. */
  readonly certain: TurnedWish;
}

/** Longer steps than usual are allowed: what a question's length asks for is not to be cut. */
const shared: TurnedWish = { stepTokens: 8192 };

export const workloads: readonly Workload[] = [
  {
    name: 'self-consistency',
    row: 'self-consistency',
    program: 'self-consistency',
    rollouts: 20,
    caps: [5, 10, 15, 20, 25, 30],
    strands: 640,
    knobs: shared,
    // P1 asks for a first round of five and reads it; so does a window, whose next samples begin as others end.
    certain: { certain: 'threshold', certainAgreement: 0.7, certainAnswers: 5, window: 5 },
  },
  {
    name: 'mcts',
    row: 'vanilla',
    program: 'mcts',
    rollouts: 15,
    caps: [3, 7, 10, 15, 20],
    strands: 160,
    knobs: { ...shared, choose: 'best' },
    certain: { certain: 'threshold', certainAgreement: 0.99, certainReward: 0.4, certainAnswers: 3 },
  },
  {
    name: 'rebase',
    row: 'rebase',
    program: 'rebase',
    rollouts: 32,
    caps: [16, 32, 64],
    strands: 1280,
    knobs: { ...shared, choose: 'vote' },
    // A first round of 16 paths, and the others where those were not certain.
    certain: { firstPaths: 16, certain: 'threshold', certainAgreement: 0.75, certainAnswers: 16 },
  },
];

/** Standard deviation of the logarithm of a question's length: one in ten is longer than 3.6 times the median, and these are 39 % of the work. */
export const heavyTail = 1;
/** A small server: the depth of its queue matters, and fills with fewer requests. */
export const server = { replicas: 1, sequenceLimit: 64 } as const;

export const orderRows = [
  'fcfs',
  'longest-prefix',
  'longest-prefix + certain',
  'gang',
  'gang + sjf',
  'gang + sjf, all known',
  'all',
] as const;
/** `all` is gang, shortest first and the exit. `all known` uses each search's real work, which only a simulation knows. */
export type OrderRow = (typeof orderRows)[number];

/** The baselines: engines as they are. */
export const baselines = ['longest-prefix', 'fcfs'] as const satisfies readonly OrderRow[];

export function knobsOf(row: OrderRow, { knobs, certain }: Workload): TurnedWish {
  if (row === 'fcfs' || row === 'longest-prefix' || row === 'gang') return { ...knobs, order: row };
  if (row === 'longest-prefix + certain') return { ...knobs, ...certain, order: 'longest-prefix' };
  return { ...knobs, ...(row === 'all' ? certain : {}), order: 'sjf' };
}
