// The embedded engine as a machine of the simulator: the shipped generator and reward model on one core each of a shared x86 machine with two.
// Each figure is the shortest of four self-measurements (the engine's own medians over rounds) beside busy neighbours: times of
// a quiet machine are shorter, by about the same factor at every size. The shape matters: a decode costs as much as its rows.

import type { MeasuredMachine } from '../machine-table/measured-machine.ts';
import { evenSlowdown } from './slowdown.ts';

export const embeddedOnTwoCores: MeasuredMachine = {
  name: 'the embedded engine on two cores, sapling beside sapling-prm',
  generator: {
    contexts: [64, 256],
    decode: [
      [1, 2.97, 6.43],
      [4, 4.86, 6.43],
      [8, 7.2, 9.78],
      [16, 12.47, 17.28],
      [32, 21.99, 35.2],
      [63, 42.87, 66.2],
    ],
    prefill: [
      [1, 2.39],
      [4, 4.72],
      [8, 8.38],
      [16, 10.18],
      [32, 17.5],
      [63, 36],
      [128, 64.2],
      [256, 120.8],
      [512, 305],
    ],
    requestMs: 0,
    kvTokens: 8192,
    sequenceLimit: 32,
  },
  rewardModel: {
    pass: [
      [1, 3.13],
      [4, 9.31],
      [16, 10.8],
      [32, 20.3],
      [63, 41],
      [128, 64.8],
      [256, 134.8],
    ],
    callMs: 0,
    extraTokens: 0,
    passTokens: 63,
    reusesPrefix: true,
    kvTokens: 8192,
  },
  slowdown: evenSlowdown(1, 1),
};
