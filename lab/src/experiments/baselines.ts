// What others schedule by, beside `safe`: TAPER's widths, least attained service (LAS) and Agentix's PLAS, each with the positive exit alone, as
// TAPER has it, and with the exits and prunes of `safe`, so that what the order gives is told apart from what the exits give.

import { listed } from '../experiment/plan.ts';
import { comparisonOf } from './comparison.ts';

export const baselines = comparisonOf({
  name: 'baselines',
  about: 'LAS, PLAS and TAPER beside safe, with the positive exit and with the exits of safe',
  page: 'experiments/baselines.md',
  takes: '15 minutes',
  published: ['--seed 1 --seeds 2'],
  preset: {
    rows: ['positive', 'taper', 'las+positive', 'plas+positive', 'safe:widths=slack', 'las+safe', 'plas+safe', 'safe'],
    base: 'safe',
    settings: ['math500/8b', 'amc23/8b'],
    seeds: [801],
    requests: 300,
    budget: 128,
    loads: listed(['1p', '2p']),
  },
});
