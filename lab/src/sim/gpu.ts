// P4's machine (§6.1): one consumer GPU with a generator and a reward model that share its memory and time. Step times come from a
// roofline, since we have no such GPU to measure. Two parts of P4 can be left out here: memory is then split in halves, and
// waiting requests run in an order that ignores the tree.

import type { CostModel } from '@coppice/core/cost';
import { splitKv } from '@coppice/llama/open';
import { type Gpu, h200, type ModelShape, rooflineCost } from './roofline.ts';

/** Memory, bandwidth and dense bf16 rate from NVIDIA's data sheet; efficiencies as fitted on the H200. */
const rtx4090: Gpu = {
  ...h200,
  name: 'RTX 4090',
  memoryBytes: 24 * 2 ** 30,
  bytesPerSecond: 1.008e12,
  flopsPerSecond: 165e12,
};

const qwen1b: ModelShape = {
  name: 'qwen2.5-math-1.5b',
  layers: 28,
  hidden: 1536,
  heads: 12,
  kvHeads: 2,
  headDim: 128,
  weightBytes: 3.09e9,
  kvBytesPerToken: 28_672,
};
const qwen7b: ModelShape = {
  name: 'qwen2.5-math-7b',
  layers: 28,
  hidden: 3584,
  heads: 28,
  kvHeads: 4,
  headDim: 128,
  weightBytes: 15.23e9,
  kvBytesPerToken: 57_344,
};
const mistral7b: ModelShape = {
  name: 'math-shepherd-mistral-7b',
  layers: 32,
  hidden: 4096,
  heads: 32,
  kvHeads: 8,
  headDim: 128,
  weightBytes: 14.48e9,
  kvBytesPerToken: 131_072,
};

/** Generator, reward model, and the share of the memory that both may have together. */
const pairs = {
  '1.5b+1.5b': { generator: qwen1b, rewardModel: qwen1b, memoryShare: 0.4 },
  '1.5b+7b': { generator: qwen1b, rewardModel: mistral7b, memoryShare: 0.9 },
  '7b+1.5b': { generator: qwen7b, rewardModel: qwen1b, memoryShare: 0.9 },
} as const;
export type EdgePair = keyof typeof pairs;
export const edgePairs = Object.keys(pairs) as readonly EdgePair[];

export interface EdgeMachine {
  readonly pair: EdgePair;
  /** Memory between the two: in halves, or by what their work costs (P4 §4.3.1). */
  readonly split: 'halves' | 'cost';
  /** Which sequence runs next: siblings together (P4 §4.2), or any. */
  readonly order: 'any' | 'siblings';
  readonly verifierReuses: boolean;
  /** Two steps of a path in one pass of the reward model (P4 §4.1.3); unless said, it does. */
  readonly looksAhead?: boolean;
  /** The reward model waits until nothing is being generated: a level is scored when all of it is there. */
  readonly alternates?: boolean;
  /** Memory for keys and values of both, in bytes; what the weights leave of their share unless given. */
  readonly kvBytes?: number;
}

/** Steps and paths as the split expects them, in tokens. */
const usual = { pathTokens: 800, stepTokens: 100, siblings: 4, scoredApart: true };
const least = { leastGeneratorTokens: 8192, leastVerifierTokens: 4096 };
export const edgeSequences = 512;

/** Both models on the machine: what they cost, and the tokens that each has room for. */
interface EdgeModels {
  readonly generator: CostModel;
  readonly rewardModel: CostModel;
  readonly generatorTokens: number;
  readonly verifierTokens: number;
}

export function edgeModels({ pair, split, verifierReuses, kvBytes }: EdgeMachine): EdgeModels {
  const { generator, rewardModel, memoryShare } = pairs[pair];
  const costs = { generator: rooflineCost(rtx4090, generator), rewardModel: rooflineCost(rtx4090, rewardModel) };
  const weights = generator.weightBytes + rewardModel.weightBytes;
  const memoryBytes = kvBytes ?? rtx4090.memoryBytes * memoryShare - weights;
  const [generatorTokenBytes, verifierTokenBytes] = [generator.kvBytesPerToken, rewardModel.kvBytesPerToken];
  const byCost = splitKv({
    generator: costs.generator,
    verifier: costs.rewardModel,
    generatorTokenBytes,
    verifierTokenBytes,
    memoryBytes,
    ...usual,
    ...least,
    verifierReusesPrefix: verifierReuses,
    mostDecode: edgeSequences,
  });
  if (split === 'cost' && byCost !== undefined) return { ...costs, ...byCost };
  const tokens = (bytes: number) => Math.floor(memoryBytes / 2 / bytes);
  return { ...costs, generatorTokens: tokens(generatorTokenBytes), verifierTokens: tokens(verifierTokenBytes) };
}
