// The programs that every search has to beat: samples without a tree, each with the exits it can use, beside the rows of P0.

import { listed } from '../experiment/plan.ts';
import { rows } from '../service/index.ts';
import { comparisonOf, twoSeeds } from './comparison.ts';

export const programs = comparisonOf({
  name: 'programs',
  about: 'the rows of P0 beside greedy, self-consistency and best-of-n',
  page: 'experiments/p0.md',
  takes: '15 minutes',
  published: [],
  preset: {
    rows: ['greedy', 'self-consistency', 'best-of-n', 'best-of-n+positive', ...rows],
    seeds: twoSeeds,
    requests: 256,
    loads: listed(['1p']),
  },
});
