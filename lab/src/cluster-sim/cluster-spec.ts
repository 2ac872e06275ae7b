// What a simulated cluster is: its size, its GPUs, its load and its faults. Plain data: a group of it is run in a thread of its own.

import { type CostModel, type QuestionProfile, tableCost } from 'coppice/internals';
import { vllmCausalOnH200 } from '../sim/h200-vllm.ts';
import type { GpuKind } from './generation-server.ts';
import type { ScorerKind } from './scoring-server.ts';

export const faultNames = ['rack', 'node', 'slow', 'flood'] as const;
export type FaultName = (typeof faultNames)[number];

/** One database with its nodes and GPUs. */
export interface GroupSpec {
  readonly seed: number;
  readonly group: number;
  readonly replicas: number;
  readonly nodes: number;
  readonly databaseCores: number;
  readonly searches: number;
  readonly minutes: number;
  readonly rollouts: number;
  /** `day`: the rate rises from half to one and a half times the mean and falls again. */
  readonly load: 'day' | 'flat';
  readonly faults: readonly FaultName[];
  /** `ideal`: nodes and database cost nothing, and a way takes no longer. */
  readonly capacity: 'measured' | 'ideal';
  /** Which kind each replica is: two in turn, or one alone. */
  readonly gpus: 'mixed' | 'h200' | 'a100';
}

/** Searches that need some ten seconds: reasoning steps of some 200 tokens. Kinds of questions as `serve --sim` has them. */
export const profile: QuestionProfile = {
  name: 'cluster',
  easyShare: 0.5,
  scalingShare: 0.35,
  easy: { soundness: { low: 0.93, high: 1 }, strictness: { low: 1, high: 1.6 } },
  scaling: { soundness: { low: 0.5, high: 0.85 }, strictness: { low: 1, high: 1.6 } },
  impossible: { soundness: { low: 0.6, high: 0.9 }, strictness: { low: 1.2, high: 2 } },
  impossibleAtOnce: 0.12,
  meanSteps: 6,
  stepTokens: 200,
  stepTokensSpread: 0.6,
  blindShare: 0.08,
  blindChance: 0.5,
  missChance: 0.02,
  twinRate: 0,
};

/** Sequences that a server runs at a time (`max_num_seqs`), and that nodes share. */
export const sequenceLimit = 64;
/** Strands per replica: with a branching of four they fill its places. */
export const strandsPerReplica = 16;
/** One server of the reward model for so many of the generator. */
export const replicasPerScorer = 8;
/** Every so many replicas are of the slower kind. */
export const slowerEvery = 4;
export const rackReplicas = 32;

const { generator, rewardModel } = vllmCausalOnH200;

/** Decode steps are bound by memory: an A100 has 2.04 TB/s where an H200 has 4.8 (data sheets). */
const a100Factor = 4.8 / 2.04;
const slowFactor = 4;

function scaled(name: string, factor: number): CostModel {
  const { contexts, decode, prefill } = generator;
  return tableCost({
    name,
    contexts,
    decode: decode.map(([batch, ...ms]) => [batch, ...ms.map((each) => each * factor)]),
    prefill: prefill.map(([tokens, ms]) => [tokens, ms * factor]),
  });
}

function kindOf(name: string, factor: number): GpuKind {
  const { kvTokens, requestMs } = generator;
  return { name, cost: scaled(name, factor), sequenceLimit, kvTokens, requestMs };
}

const kinds = {
  h200: kindOf('h200', 1),
  a100: kindOf('a100', a100Factor),
  'slow h200': kindOf('slow h200', slowFactor),
};

/** The kind of one replica of a group. */
export function gpuOf({ gpus, faults }: Pick<GroupSpec, 'gpus' | 'faults'>, at: number): GpuKind {
  if (faults.includes('slow') && at === 1) return kinds['slow h200'];
  if (gpus !== 'mixed') return kinds[gpus];
  return at % slowerEvery === slowerEvery - 1 ? kinds.a100 : kinds.h200;
}

export const scorer: ScorerKind = {
  cost: tableCost({ name: 'scorer', contexts: [1], decode: [[1, 1]], prefill: rewardModel.pass }),
  passTokens: rewardModel.passTokens,
  callMs: rewardModel.callMs,
  reusesPrefix: rewardModel.reusesPrefix,
  stepTokens: profile.stepTokens,
};
