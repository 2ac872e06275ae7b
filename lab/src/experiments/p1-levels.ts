// Share of deadlines kept, by arrival rate and order (P1 §6.3 to §6.6), simulated.

import type { LabExperiment } from '../experiment/experiment.ts';
import { levelCharts } from '../service-levels/level-charts.ts';
import { levelTables } from '../service-levels/level-tables.ts';
import { climb, type LevelCell, type OrderCell } from '../service-levels/rates.ts';
import { heavyTail, orderRows, server, workloads } from '../service-levels/workloads.ts';

export const p1Levels: LabExperiment<OrderCell, LevelCell> = {
  name: 'p1-levels',
  about: 'arrival rates and deadlines at 90 % attainment, order by order',
  page: 'experiments/p1.md',
  takes: '2 hours',
  published: ['--policy self-consistency --seeds 4', '--policy vanilla --seeds 3', '--policy rebase'],
  preset: { settings: ['math500/8b'], rows: workloads.map(({ row }) => row), requests: 600 },
  flags: ['setting', 'policy', 'seed', 'seeds', 'requests'],
  // A queue must have time to grow.
  leastRequests: 20,
  ownRows: true,
  cells: ({ settings: [setting], seeds, requests, rows }) =>
    workloads
      .filter(({ row }) => rows.includes(row))
      .flatMap((workload) =>
        seeds.flatMap((seed) => orderRows.map((row) => ({ workload, row, setting: setting!, seed, requests }))),
      ),
  measure: climb,
  report: (found, { settings, seeds, requests }) => {
    const cells = found.map(({ result }) => result);
    const head = `Simulated: ${settings[0]}; seeds ${seeds.join(', ')}; ${requests} questions a run, lengths lognormal (${heavyTail}); one server of ${server.sequenceLimit} sequences, every search is admitted.`;
    return { head, body: levelTables(cells), charts: levelCharts(cells, head), data: { cells } };
  },
};
