// The model of nodes and database against a real run: the load of `npm run bench -- nodes` on one, two and four nodes of one machine with two
// cores, beside the measurements there (lab/docs/scale-out-measured.md).

import { percentile } from '../statistics.ts';
import type { GroupSpec } from './cluster-spec.ts';
import { runGroup } from './group.ts';

/** Of `npm run bench -- nodes`, PostgreSQL, seed 1, two cores with nothing else to do. */
const measured = [
  { nodes: 1, served: 400, p50: 784, p99: 2538, nodeMs: 21.2, databaseMs: 8.1 },
  { nodes: 2, served: 800, p50: 763, p99: 2323, nodeMs: 22.0, databaseMs: 7.7 },
  { nodes: 4, served: 1600, p50: 992, p99: 3242, nodeMs: 17.9, databaseMs: 7.8 },
] as const;

const searchesPerNode = 400;

function specOf(nodes: number): GroupSpec {
  const size = {
    replicas: nodes,
    nodes,
    databaseCores: 2,
    replicasPerScorer: 1,
    searches: searchesPerNode * nodes,
    minutes: 1 / 3,
  };
  const load = { rollouts: 4, load: 'flat', faults: [], capacity: 'measured', gpus: 'mixed', policy: 'safe' } as const;
  return { seed: 1, group: 0, ...size, ...load, isBench: true };
}

export async function checkLines(): Promise<string[]> {
  const lines = [
    '| nodes | served | p50 ms, measured | simulated | p99 ms, measured | simulated | CPU ms a search, measured | simulated |',
    '|--:|--:|--:|--:|--:|--:|--:|--:|',
  ];
  for (const real of measured) {
    const { answers, served, asked, databaseBusyMs } = await runGroup(specOf(real.nodes));
    const took = answers.flatMap(({ tookMs }) => tookMs ?? []);
    const at = (percent: number) => percentile(took, percent).toFixed(0);
    // One machine: what its cores did is nodes and database together.
    const cpuMs = (databaseBusyMs / served).toFixed(1);
    const realMs = (real.nodeMs + real.databaseMs).toFixed(1);
    lines.push(
      `| ${real.nodes} | ${served} of ${asked} | ${real.p50} | ${at(50)} | ${real.p99} | ${at(99)} | ${realMs} | ${cpuMs} |`,
    );
  }
  return lines;
}
