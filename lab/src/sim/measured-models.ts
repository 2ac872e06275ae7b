// Models that the simulator knows by shape and by measurement on one NVIDIA H200; two of their tables are in the product.

import type { MeasuredPoints } from '@coppice/core/cost';
import { llama8b as llama8bPoints, prm7b as prm7bPoints } from '@coppice/sim/engine';
import type { ModelShape } from './roofline.ts';

export interface MeasuredModel {
  readonly shape: ModelShape;
  readonly points: MeasuredPoints;
}

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
  points: llama8bPoints,
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
  points: prm7bPoints,
};
