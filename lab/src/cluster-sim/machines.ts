// The hardware of a group: two kinds of GPU with measured step times, reward models, and the most sequences of each. Or the machine of
// `npm run bench -- nodes`, to check the model of nodes and database.

import { type CostModel, tableCost } from '@coppice/core/cost';
import type { QuestionProfile } from '@coppice/sim/engine';
import { llama8b, prm7b } from '@coppice/sim/engine';
import { servedProfile } from '@coppice/sim/open';
import { vllmCausalOnH200 } from '../sim/h200-vllm.ts';
import type { GroupSpec } from './cluster-spec.ts';
import type { GpuKind } from './generation-server.ts';
import type { ScorerKind } from './scoring-server.ts';

export interface Machines {
  readonly profile: QuestionProfile;
  readonly gpu: (at: number) => GpuKind;
  readonly scorer: ScorerKind;
  readonly scorers: number;
  /** Sequences that a server runs at a time (`max_num_seqs`), which nodes share. */
  readonly sequenceLimit: number;
  readonly budget: number;
}

/** Searches that need some ten seconds: reasoning steps of some 200 tokens. */
const longSteps: QuestionProfile = { ...servedProfile, name: 'cluster', stepTokens: 200 };

const sequenceLimit = 64;
/** With a branching of four they fill a server's places. */
const strandsPerReplica = 16;
/** One in this many replicas is of the slower kind. */
export const slowerEvery = 4;

/** Decode steps are bound by memory: an A100 has 2.04 TB/s where an H200 has 4.8 (data sheets). */
const a100Factor = 4.8 / 2.04;
/** A GPU that is throttled. */
const slowFactor = 4;

type Points = Parameters<typeof tableCost>[0];

function scaled({ contexts, decode, prefill }: Omit<Points, 'name'>, name: string, factor: number): CostModel {
  return tableCost({
    name,
    contexts,
    decode: decode.map(([batch, ...ms]) => [batch, ...ms.map((each) => each * factor)]),
    prefill: prefill.map(([tokens, ms]) => [tokens, ms * factor]),
  });
}

function kindOf(name: string, factor: number): GpuKind {
  const { generator } = vllmCausalOnH200;
  const { kvTokens, requestMs } = generator;
  return { name, cost: scaled(generator, name, factor), sequenceLimit, kvTokens, requestMs };
}

export function machinesOf(spec: GroupSpec): Machines {
  return spec.isBench ? benchMachines(spec) : clusterMachines(spec);
}

function clusterMachines({ replicas, replicasPerScorer, gpus, faults }: GroupSpec): Machines {
  const kinds = { h200: kindOf('h200', 1), a100: kindOf('a100', a100Factor), slow: kindOf('slow h200', slowFactor) };
  const { pass, passTokens, callMs, reusesPrefix } = vllmCausalOnH200.rewardModel;
  return {
    profile: longSteps,
    gpu: (at) => {
      if (faults.includes('slow') && at === 1) return kinds.slow;
      return gpus === 'mixed' ? (at % slowerEvery === slowerEvery - 1 ? kinds.a100 : kinds.h200) : kinds[gpus];
    },
    scorer: { cost: passCost(pass), passTokens, callMs, reusesPrefix, stepTokens: longSteps.stepTokens },
    scorers: Math.ceil(replicas / replicasPerScorer),
    sequenceLimit,
    budget: strandsPerReplica * replicas,
  };
}

function passCost(pass: readonly (readonly [number, number])[]): CostModel {
  return tableCost({ name: 'scorer', contexts: [1], decode: [[1, 1]], prefill: pass });
}

/** As `serve --sim` simulates, four times as fast. */
const benchSpeed = 4;

function benchMachines({ nodes }: GroupSpec): Machines {
  const room = { sequenceLimit: 256, kvTokens: 400_000, requestMs: 0 };
  const gpu = { name: 'bench', cost: scaled(llama8b, 'bench', 1 / benchSpeed), ...room };
  const cost = scaled(prm7b, 'bench scorer', 1 / benchSpeed);
  const { stepTokens } = servedProfile;
  return {
    profile: servedProfile,
    gpu: () => gpu,
    scorer: { cost, passTokens: 8192, callMs: 0, reusesPrefix: true, stepTokens },
    scorers: nodes,
    sequenceLimit: room.sequenceLimit,
    budget: 512,
  };
}
