// A generator of 14B parameters, measured on one NVIDIA H200 like those of the product (packages/sim/src/engine/h200.ts).

import type { MeasuredModel } from './measured-models.ts';

export const qwen14b: MeasuredModel = {
  shape: {
    name: 'qwen2.5-14b',
    layers: 48,
    hidden: 5120,
    heads: 40,
    kvHeads: 8,
    headDim: 128,
    weightBytes: 30.65e9,
    kvBytesPerToken: 196608,
  },
  points: {
    name: 'qwen2.5-14b on H200',
    contexts: [256, 1024, 4096],
    decode: [
      [1, 9.09, 9.093, 9.376],
      [2, 9.408, 9.525, 9.842],
      [4, 9.323, 9.548, 10.046],
      [8, 9.392, 9.787, 10.855],
      [16, 9.197, 9.745, 11.882],
      [32, 9.578, 10.662, 14.913],
      [48, 10.014, 11.617, 18.31],
      [64, 10.359, 12.465, 20.979],
      [96, 11.074, 14.208],
      [128, 14.039, 18.218],
      [192, 14.767, 20.99],
      [256, 18.174, 26.306],
    ],
    prefill: [
      [64, 11.081],
      [128, 12.941],
      [256, 15.086],
      [512, 26.523],
      [1024, 48.297],
      [2048, 98.532],
      [4096, 199.254],
      [8192, 424.991],
    ],
  },
};
