// How close the question profiles come to the paper's figures, on the seeds of their fit.

import { seedsFrom } from '../experiment/plan.ts';
import { comparisonOf } from './comparison.ts';

export const calibration = comparisonOf({
  name: 'calibration',
  about: 'how near the question profiles come to the paper, on the seeds they were fitted on',
  page: 'simulator.md',
  takes: '15 minutes',
  published: ['--each', '--each --seed 11 --requests 800'],
  preset: {
    rows: ['vanilla', 'positive', 'positive+strict', 'positive+negative'],
    seeds: seedsFrom(901, 2),
    requests: 500,
  },
});
