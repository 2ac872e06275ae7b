// The canonical comparison: policies in P0's order over settings, seeds and loads, as one table. Also makes the experiments that differ
// from it only in their rows (p0, programs, knobs, policies, calibration), each in a file of its own.

import type { LabExperiment, LabReport } from '../experiment/experiment.ts';
import { type LabPlan, listed, type PlanFlagName } from '../experiment/plan.ts';
import { groupedTable, type LabTable, type TableColumn } from '../experiment/table.ts';
import { searchDefaults, warmUpShare } from '../service/index.ts';
import { type Cell, type ComparedCell, compareCell, comparedCells } from '../sim/comparison.ts';
import { bySetting, type Line, linesOf } from '../sim/report.ts';
import type { Estimate } from '../statistics.ts';

/** Flags of the common part of its trials. */
export const systemFlags = [
  ...(['setting', 'seed', 'seeds', 'requests', 'budget', 'rollouts', 'branching', 'threshold'] as const),
  ...(['roofline', 'machine', 'no-prefix-reuse', 'trees', 'trace', 'world', 'scoring'] as const),
] as const satisfies readonly PlanFlagName[];

/** Seeds of the published sizes. */
export const twoSeeds = [1, 2];

type ComparisonParts = Pick<LabExperiment, 'name' | 'about' | 'page' | 'takes' | 'published' | 'preset'> &
  Partial<Pick<LabExperiment, 'full'>> & {
    readonly charts?: (cells: readonly Cell[], plan: LabPlan) => LabReport['charts'];
  };

export function comparisonOf({ charts, ...parts }: ComparisonParts): LabExperiment<ComparedCell, Cell> {
  return {
    ...parts,
    flags: [...systemFlags, 'policy', 'ablate', 'base', 'load', 'deadline', 'each'],
    cells: comparedCells,
    measure: compareCell,
    report: (found, plan) => {
      const cells = found.map(({ result }) => result);
      return { ...comparisonReport(cells, plan), charts: charts?.(cells, plan) ?? [] };
    },
  };
}

export const comparison = comparisonOf({
  name: 'comparison',
  about: 'policies in the order of P0, over settings, seeds and loads',
  page: 'experiments/p0.md',
  takes: '2 minutes',
  published: [],
  preset: { seeds: twoSeeds, requests: 144, loads: listed(['1p']) },
  full: { requests: 256, loads: listed(['0.6v', '1p', '2p']) },
});

export function comparisonReport(cells: readonly Cell[], plan: LabPlan): LabReport {
  const lines = linesOf(cells, plan.base);
  const each = plan.each ? [...bySetting(cells)] : [];
  return {
    head: headOf(plan),
    body: [
      lineTable(lines),
      ...each.flatMap(([setting, own]) => [`## ${setting}`, lineTable(linesOf(own, plan.base))]),
    ],
    data: { lines, cells },
  };
}

/** Values first, then how many times better than vanilla and than the base. */
const allColumns: readonly TableColumn<Line>[] = [
  { heading: 'policy', left: true, of: ({ row }) => row },
  { heading: 'p50 s', of: ({ p50Seconds }) => plain(p50Seconds, 1) },
  { heading: 'p99 s', of: ({ p99Seconds }) => plain(p99Seconds, 1) },
  { heading: 'req/s', of: ({ throughput }) => plain(throughput, 2) },
  { heading: 'cap/s', of: ({ capacity }) => plain(capacity, 2) },
  { heading: 'of bound', of: ({ share }) => plain(share, 2) },
  { heading: 'tokens', of: ({ tokens }) => plain(tokens, 0) },
  { heading: 'acc %', of: ({ accuracy }) => number(accuracy, 1) },
  { heading: 'exits %', of: ({ exits }) => exits.map((each) => each.toFixed(0)).join('/') },
  { heading: 'in time %', optional: true, of: ({ inTime }) => inTime?.toFixed(1) ?? '' },
  { heading: 'p50 ×v', barred: true, of: ({ againstVanilla }) => number(againstVanilla?.p50, 2) },
  { heading: 'p99 ×v', of: ({ againstVanilla }) => number(againstVanilla?.p99, 2) },
  { heading: 'req/s ×v', of: ({ againstVanilla }) => number(againstVanilla?.throughput, 2) },
  { heading: 'cap ×v', of: ({ againstVanilla }) => number(againstVanilla?.capacity, 2) },
  { heading: 'tok ×v', of: ({ againstVanilla }) => number(againstVanilla?.tokens, 2) },
  { heading: 'Δacc v', of: ({ againstVanilla }) => points(againstVanilla?.accuracyPoints) },
  { heading: 'p99 ×b', barred: true, of: ({ againstBase }) => number(againstBase?.p99, 2) },
  { heading: 'p50 ×b', of: ({ againstBase }) => number(againstBase?.p50, 2) },
  { heading: 'cap ×b', of: ({ againstBase }) => number(againstBase?.capacity, 2) },
  { heading: 'Δacc b', of: ({ againstBase }) => points(againstBase?.accuracyPoints) },
];

export function lineTable(lines: readonly Line[]): LabTable {
  const loads = [...new Set(lines.map(({ load }) => load))];
  return groupedTable(
    allColumns,
    loads.map((load) => ({
      title: load === 'backlog' ? 'all requests at once (backlog)' : `load ${load}`,
      rows: lines.filter((line) => line.load === load),
    })),
  );
}

function plain(estimate: Estimate | undefined, digits: number): string {
  return estimate === undefined ? '' : estimate.value.toFixed(digits);
}

function number(estimate: Estimate | undefined, digits: number): string {
  if (estimate === undefined) return '';
  const { value, half } = estimate;
  return value.toFixed(digits) + (half === undefined ? '' : `±${half.toFixed(digits)}`);
}

function points(estimate: Estimate | undefined): string {
  return estimate === undefined ? '' : (estimate.value > 0 ? '+' : '') + number(estimate, 1);
}

function headOf(plan: LabPlan): string {
  const { requests, seeds, budget, base, threshold, rollouts, branching = searchDefaults.branching, trees } = plan;
  const settings = trees === undefined ? plan.settings : [`${trees} at the speed of ${plan.settings.join(', ')}`];
  return [
    `Simulated: ${settings.join(', ')}; ${requests} requests a run, the first ${100 * warmUpShare} % left out of latencies;`,
    `seeds ${seeds.join(', ')}; M = ${budget} strands, ${rollouts} rollouts of ${branching} steps, threshold ${threshold};`,
    placeText(plan),
    'Means over settings (times, rates and ratios geometric), ± the 95 % interval over seeds. req/s: requests over',
    'makespan; cap/s: sustained capacity; of bound: its share of the clairvoyant capacity (docs/policies.md); exits: accepted/',
    'futile/settled/exhausted. Ratios: above 1 is better than vanilla (×v)',
    `or than ${base} (×b); Δacc in points of accuracy.`,
  ].join('\n');
}

function placeText({ machine, roofline, verifierReuses }: LabPlan): string {
  if (machine !== undefined) return `step times as they were measured: ${machine.name}.`;
  const times = roofline === undefined ? 'as measured on an H200' : `by a roofline of the ${roofline.toUpperCase()}`;
  return `step times ${times}; verifier ${verifierReuses ? 'reuses its prefixes' : 'computes every prefix again'}.`;
}
