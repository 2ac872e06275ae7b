// Finish-time fairness: the ratio of a request's time under load to its time on an idle machine under the same policy. A policy may slow all searches
// down a little or a few a lot: the median shows the first, and the distance of the tail above it the second. Each request is compared with itself.

import { raise } from '@coppice/core/base';
import type { LabExperiment, TrialSource } from '../experiment/experiment.ts';
import { type LabPlan, listed, type PlannedSystem } from '../experiment/plan.ts';
import { type LabTable, type TableColumn, tableOf } from '../experiment/table.ts';
import { type Load, type RowName, type Served, type SettingName, warmUpShare } from '../service/index.ts';
import { type ComparedSpot, capacityIn, specOf, systemOf } from '../sim/comparison.ts';
import { percentile } from '../statistics.ts';
import { systemFlags } from './comparison.ts';

interface CompanyCell extends ComparedSpot {
  readonly load: Load;
  readonly system: PlannedSystem;
}

interface Slowdowns {
  readonly setting: SettingName;
  readonly row: RowName;
  readonly load: string;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

export const fairness: LabExperiment<CompanyCell, Slowdowns> = {
  name: 'fairness',
  about: 'how many times longer each request takes in company than alone, by policy and order',
  page: 'policies-measured.md',
  takes: '10 minutes',
  published: [],
  preset: {
    settings: ['math500/8b', 'amc23/8b'],
    rows: ['positive', 'boost', 'taper', 'safe', 'safe:order=sjf'],
    requests: 400,
    loads: listed(['1p', '2p']),
  },
  flags: [...systemFlags, 'policy', 'load'],
  cells: companyCells,
  measure: slowdowns,
  report: (found, { requests, seeds, budget }) => {
    const all = found.map(({ result }) => result);
    const head = `Simulated: ${requests} requests a run, seed ${seeds[0]}, M = ${budget}; each request in company against itself alone on the idle machine.`;
    return { head, body: [fairnessTable(all)], data: { slowdowns: all } };
  },
};

/** Loads are multiples of what `positive` sustains in the same setting. */
function companyCells(plan: LabPlan): CompanyCell[] {
  const other = plan.loads.find(({ of }) => of !== 'positive');
  if (other !== undefined) raise('bad-setting', `--load is '${other.name}'; here it must be a multiple of p, as 1p`);
  const [system, seed] = [systemOf(plan), plan.seeds[0]!];
  return plan.settings.flatMap((setting) =>
    plan.rows.flatMap((row) => plan.loads.map((load) => ({ setting, row, load, seed, system }))),
  );
}

async function slowdowns({ load, system, ...spot }: CompanyCell, trials: TrialSource): Promise<Slowdowns> {
  const [alone, yardstick] = await Promise.all([
    trials.once(specOf(system, spot, { kind: 'one-by-one' })),
    trials.once(specOf(system, { ...spot, row: 'positive' }, { kind: 'backlog' })),
  ]);
  const perSecond = load.factor * capacityIn(yardstick);
  const together = await trials.run(specOf(system, spot, { kind: 'rate', perSecond }));
  const { setting, row } = spot;
  return { setting, row, load: load.name, ...slowdownsOf(together.served, alone.served) };
}

/** Leaves out the first requests, which meet an empty system. */
export function slowdownsOf(
  together: readonly Served[],
  alone: readonly Served[],
): Pick<Slowdowns, 'p50' | 'p90' | 'p99'> {
  const took = ({ arrivalMs, endedMs }: Served) => endedMs - arrivalMs;
  const ratios = together.map((each, at) => took(each) / took(alone[at]!));
  const warm = ratios.slice(Math.floor(warmUpShare * ratios.length));
  return { p50: percentile(warm, 50), p90: percentile(warm, 90), p99: percentile(warm, 99) };
}

const columns: readonly TableColumn<Slowdowns>[] = [
  { heading: 'setting', left: true, of: ({ setting }) => setting },
  { heading: 'load', left: true, of: ({ load }) => load },
  { heading: 'policy', left: true, of: ({ row }) => row },
  { heading: 'slower than alone: median', of: ({ p50 }) => p50.toFixed(1) },
  { heading: '90 %', of: ({ p90 }) => p90.toFixed(1) },
  { heading: '99 %', of: ({ p99 }) => p99.toFixed(1) },
  { heading: '99 % over the median', of: ({ p50, p99 }) => (p99 / p50).toFixed(1) },
];

function fairnessTable(all: readonly Slowdowns[]): LabTable {
  return tableOf(columns, all);
}
