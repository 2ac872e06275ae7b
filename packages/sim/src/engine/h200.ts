// Measured on one NVIDIA H200 (PyTorch 2.11, bf16, random weights of the models' shapes, SDPA with grouped queries, decode
// replayed from a CUDA graph, no tensor parallelism): the median time of one decode step and of one prefill. A serving
// engine adds scheduling and sampling and has better paged attention: trust the shape (knee, slope), not the last percent.
// Batches whose cache would have passed 60 GB were not run.

import type { MeasuredPoints } from '@coppice/core/cost';

const contexts = [256, 1024, 4096] as const;

export const llama8b: MeasuredPoints = {
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
};

export const prm7b: MeasuredPoints = {
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
};
