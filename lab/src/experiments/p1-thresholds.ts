// P1's figure 12: savings and costs of each threshold of certainty, simulated or on a real model's samples (--trees).

import type { LabExperiment } from '../experiment/experiment.ts';
import { type Yield, yieldOf } from '../service/index.ts';
import { thresholdFamilies } from './certainty-families.ts';
import { type CertaintyCell, certaintyCells, certaintyReport, p1 } from './p1.ts';

export const p1Thresholds: LabExperiment<CertaintyCell, Yield> = {
  name: 'p1-thresholds',
  about: "P1's figure 12: thresholds of agreement and reward",
  page: 'experiments/p1.md',
  takes: '15 minutes',
  published: [
    '--seeds 1',
    '--requests 1319 --seeds 4 --trees lab/recorded/qwen2.5-coder-1.5b-gsm8k.trees.gz',
    '--requests 500 --seeds 4 --trees lab/recorded/qwen2.5-coder-1.5b-math500.trees.gz',
  ],
  preset: { settings: ['math500/8b'], rows: thresholdFamilies.map(({ row }) => row), seeds: [1, 2, 3], requests: 400 },
  flags: p1.flags,
  ownRows: true,
  cells: (plan) => certaintyCells(plan, thresholdFamilies),
  measure: async ({ spec }, trials) => yieldOf(await trials.run(spec)),
  report: (found, plan) => certaintyReport(found, plan, 'p1-thresholds'),
};
