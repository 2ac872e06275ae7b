// Measured on one NVIDIA H200 by `coppice doctor --table`: vLLM 0.26.0 with a generator of Llama-3.1-8B's shape (four API
// server processes, log probabilities asked for) and a reward model of Qwen2.5-Math-PRM-7B's shape (pooling) on the same GPU,
// random weights. Whole steps and scores as the servers answer them: beside these, the tables of h200.ts are bare kernels.
// The readings are in docs/experiments/gpu/table.json.

import type { MeasuredMachine } from './machine.ts';
import { evenSlowdown } from './slowdown.ts';

export const vllmOnH200: MeasuredMachine = {
  name: 'vLLM 0.26 on one H200, 8B generator beside 7B reward model',
  generator: {
    contexts: [176, 688],
    decode: [
      [1, 4.87, 4.79],
      [8, 4.89, 5.06],
      [32, 5.46, 6.06],
      [64, 5.9, 6.91],
      [128, 8.43, 9.58],
      [256, 12.32, 15.36],
    ],
    prefill: [
      [64, 19.99],
      [256, 20.65],
      [1024, 37.34],
      [2048, 67.69],
      [4096, 122.99],
    ],
    requestMs: 14.29,
    kvTokens: 343312,
    sequenceLimit: 512,
  },
  rewardModel: {
    pass: [
      [429, 10.42],
      [858, 24.01],
      [1716, 46.51],
      [3432, 91.75],
      [6864, 163.28],
      [16384, 397.87],
    ],
    callMs: 10.95,
    extraTokens: 29,
    passTokens: 16384,
    reusesPrefix: false,
    kvTokens: 139504,
  },
  slowdown: evenSlowdown(2.36, 2.02),
};
