// Measured on one NVIDIA H200 by `npm run lab -- table`: vLLM 0.26.0 with a generator of Llama-3.1-8B's shape (four API
// server processes, log probabilities asked for), beside it on the same GPU a reward model, random weights. Whole steps and
// scores as the servers answer them: beside these, the tables of h200.ts are bare kernels. Both are what the arithmetic of
// `table` makes of the readings in lab/docs/experiments/gpu/second (lab/src/machine-table/machine-table.test.ts).

import type { MeasuredMachine } from '../machine-table/measured-machine.ts';

/** Scored by Qwen2.5-Math-PRM-7B's shape, through pooling: each score computes question and path anew. */
export const vllmOnH200: MeasuredMachine = {
  name: 'vLLM 0.26 on one H200, 8B generator beside 7B reward model',
  generator: {
    contexts: [176, 688],
    decode: [
      [1, 4.74, 4.74],
      [8, 4.73, 5.07],
      [32, 5.55, 5.87],
      [64, 6.24, 7.05],
      [128, 7.86, 8.97],
      [256, 12.43, 15.61],
    ],
    prefill: [
      [64, 17.02],
      [256, 17.44],
      [1024, 38.22],
      [2048, 66.67],
      [4096, 122.4],
    ],
    requestMs: 16.03,
    kvTokens: 343312,
    sequenceLimit: 512,
  },
  rewardModel: {
    pass: [
      [1, 11.24],
      [429, 11.24],
      [858, 22.56],
      [1716, 44.95],
      [3432, 95.54],
      [6864, 179.81],
      [16302, 427.04],
    ],
    callMs: 13.35,
    extraTokens: 29,
    passTokens: 16384,
    reusesPrefix: false,
    kvTokens: 139504,
  },
  slowdown: {
    sequences: [16, 64],
    passTokens: [1716, 15444],
    generator: [
      [2.28, 2.5],
      [2.25, 2.43],
    ],
    rewardModel: [
      [1.84, 1.54],
      [1.84, 1.51],
    ],
  },
};

/** Scored by a causal reward model of 8B, one token each: each score computes only the newest step. */
export const vllmCausalOnH200: MeasuredMachine = {
  name: 'vLLM 0.26 on one H200, 8B generator beside 8B causal reward model',
  generator: {
    contexts: [176, 688],
    decode: [
      [1, 4.84, 4.76],
      [8, 4.87, 5.04],
      [32, 5.53, 5.96],
      [64, 6.39, 7.01],
      [128, 7.18, 9.07],
      [256, 11.43, 15.86],
    ],
    prefill: [
      [64, 14.86],
      [256, 18.27],
      [1024, 36.8],
      [2048, 63.88],
      [4096, 118.44],
    ],
    requestMs: 12.92,
    kvTokens: 343312,
    sequenceLimit: 512,
  },
  rewardModel: {
    pass: [
      [1, 16.99],
      [65, 16.99],
      [130, 21.44],
      [260, 34.66],
      [520, 39.61],
      [1040, 81.09],
      [16380, 593.54],
    ],
    callMs: 0,
    extraTokens: 9,
    passTokens: 16384,
    reusesPrefix: true,
    kvTokens: 152576,
  },
  slowdown: {
    sequences: [16, 64],
    passTokens: [520, 4680],
    generator: [
      [2.09, 2.39],
      [1.92, 2.07],
    ],
    rewardModel: [
      [1.33, 1.48],
      [1.43, 1.45],
    ],
  },
};
