// Measured on one NVIDIA H200 (PyTorch 2.11, bf16, random weights of the models' shapes, SDPA with grouped queries, decode
// replayed from a CUDA graph, no tensor parallelism): the median time of one decode step and of one prefill. A serving
// engine adds scheduling and sampling and has better paged attention: trust the shape (knee, slope), not the last percent.
// Batches whose cache would have passed 60 GB were not run.

import type { ModelShape } from './cost.ts';
import type { MeasuredPoints } from './table.ts';

export interface MeasuredModel {
  readonly shape: ModelShape;
  readonly points: MeasuredPoints;
}

const contexts = [256, 1024, 4096] as const;

export const llama8b: MeasuredModel = {
  shape: {
    name: 'llama-3.1-8b',
    layers: 32,
    hidden: 4096,
    heads: 32,
    kvHeads: 8,
    headDim: 128,
    weightBytes: 16.06e9,
    kvBytesPerToken: 131072,
  },
  points: {
    name: 'llama-3.1-8b on H200',
    contexts,
    decode: [
      [1, 5.109, 5.154, 5.286],
      [2, 5.241, 5.301, 5.513],
      [4, 5.286, 5.428, 5.769],
      [8, 5.313, 5.589, 6.286],
      [16, 5.417, 5.782, 7.2],
      [32, 5.529, 6.236, 9.087],
      [48, 5.839, 6.903, 11.329],
      [64, 5.928, 7.326, 12.999],
      [96, 6.576, 8.667, 17.14],
      [128, 7.989, 10.808],
      [192, 8.704, 12.896],
      [256, 10.228, 15.7],
    ],
    prefill: [
      [64, 5.963],
      [128, 7.17],
      [256, 8.015],
      [512, 13.561],
      [1024, 25.424],
      [2048, 50.529],
      [4096, 107.04],
      [8192, 229.462],
    ],
  },
};

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
    contexts,
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

export const prm7b: MeasuredModel = {
  shape: {
    name: 'qwen2.5-math-prm-7b',
    layers: 28,
    hidden: 3584,
    heads: 28,
    kvHeads: 4,
    headDim: 128,
    weightBytes: 16.38e9,
    kvBytesPerToken: 57344,
  },
  points: {
    name: 'qwen2.5-math-prm-7b on H200',
    contexts,
    decode: [
      [1, 4.786, 4.761, 4.839],
      [2, 4.825, 4.853, 4.976],
      [4, 4.857, 4.914, 5.11],
      [8, 4.813, 4.957, 5.26],
      [16, 4.823, 5.066, 5.692],
      [32, 4.977, 5.308, 6.546],
      [48, 5.048, 5.516, 7.502],
      [64, 5.312, 5.933, 8.43],
      [96, 5.724, 6.67, 10.555],
      [128, 5.921, 7.16, 12.151],
      [192, 9.285, 11.153, 18.567],
      [256, 8.7, 11.061],
    ],
    prefill: [
      [64, 5.77],
      [128, 5.706],
      [256, 7.668],
      [512, 13.265],
      [1024, 24.41],
      [2048, 48.678],
      [4096, 102.015],
      [8192, 211.387],
    ],
  },
};

export const qwen1b: MeasuredModel = {
  shape: {
    name: 'qwen2.5-1.5b',
    layers: 28,
    hidden: 1536,
    heads: 12,
    kvHeads: 2,
    headDim: 128,
    weightBytes: 4.66e9,
    kvBytesPerToken: 28672,
  },
  points: {
    name: 'qwen2.5-1.5b on H200',
    contexts,
    decode: [
      [1, 1.863, 1.878, 1.922],
      [2, 1.942, 1.957, 2.026],
      [4, 1.97, 1.997, 2.118],
      [8, 1.991, 2.038, 2.243],
      [16, 1.998, 2.141, 2.469],
      [32, 2.071, 2.318, 2.948],
      [48, 2.136, 2.403, 3.367],
      [64, 2.167, 2.508, 3.759],
      [96, 2.34, 2.835, 4.806],
      [128, 2.517, 3.157, 5.658],
      [192, 3.468, 4.432, 8.295],
      [256, 3.375, 4.623, 9.586],
    ],
    prefill: [
      [64, 4.272],
      [128, 6.665],
      [256, 4.22],
      [512, 4.285],
      [1024, 6.879],
      [2048, 12.591],
      [4096, 25.212],
      [8192, 55.433],
    ],
  },
};
