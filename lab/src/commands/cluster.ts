// `npm run lab -- cluster`: runs a cluster of up to 1,000 replicas and 64 nodes in virtual time, with the code that serves. Prints tables and
// the settings of the run.

import { raise } from '@coppice/core/base';
import { checkLines } from '../cluster-sim/check-nodes.ts';
import {
  addedLines,
  fateLines,
  floodLines,
  goodputLines,
  growthLines,
  saturatedLines,
  throughputOf,
} from '../cluster-sim/cluster-report.ts';
import { type FaultName, faultNames, type GroupSpec, gpuChoices } from '../cluster-sim/cluster-spec.ts';
import { runGroups } from '../cluster-sim/group-pool.ts';
import type { GroupResult } from '../cluster-sim/group-result.ts';
import { slowerEvery } from '../cluster-sim/machines.ts';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, oneOf, readArguments, whole } from '../flags.ts';
import { type Estimate, estimate } from '../statistics.ts';

const text = 'string';
const flags = {
  replicas: { type: text, takes: 'N', default: '8', about: 'GPUs, three in four an H200 and one an A100; 1 to 1,000' },
  nodes: { type: text, takes: 'N', default: '2', about: 'coppice processes; 1 to 64' },
  searches: { type: text, takes: 'N', default: '200', about: 'that are asked for, without those of a flood' },
  minutes: { type: text, takes: 'N', default: '2', about: 'virtual minutes over which they come' },
  rollouts: { type: text, takes: 'N', default: '4', about: 'of a search' },
  'group-size': {
    type: text,
    takes: 'N',
    default: '125',
    about: 'replicas of a group, which has a database of its own',
  },
  'database-cores': { type: text, takes: 'N', default: '4', about: 'of each database, or a part of one' },
  'replicas-per-scorer': { type: text, takes: 'N', default: '8', about: 'that share a server of the reward model' },
  load: {
    type: text,
    takes: 'NAME',
    default: 'day',
    about: 'day, flat, or saturated: throughput over that of one replica',
  },
  gpus: { type: text, takes: 'NAME', default: 'mixed', about: `of ${gpuChoices.join(', ')}` },
  policy: { type: text, takes: 'NAME', default: 'safe', about: 'of every search; positive has one strand each' },
  faults: { type: text, takes: 'LIST', default: 'none', about: `of ${faultNames.join(', ')}, or none` },
  seed: { type: text, takes: 'N', default: '1', about: 'same seed, same figures' },
  threads: { type: text, takes: 'N', default: '2', about: 'groups that are simulated at a time' },
  'no-ideal': { type: 'boolean', default: false, about: 'leaves out the run on nodes and databases that cost nothing' },
  check: { type: 'boolean', default: false, about: 'runs the load of `bench -- nodes` beside what was measured there' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'cluster [options]',
  about: 'Simulates a cluster with the code that serves: nodes, queue, routing, limits, budgets, keys and faults.',
  groups: [['the cluster', flags]],
  examples: [
    'cluster --replicas 40 --nodes 4 --searches 2000 --minutes 5 --faults rack,node,slow,flood',
    'cluster --replicas 1000 --nodes 64 --searches 100000 --minutes 10 --faults rack,node',
    'cluster --replicas 100 --nodes 8 --searches 4000 --minutes 2 --load saturated',
  ],
};

interface ClusterPlan {
  readonly specs: readonly GroupSpec[];
  readonly threads: number;
  readonly hasIdeal: boolean;
}

export function readPlan(args: readonly string[]): ClusterPlan {
  const { values } = readArguments({ args: [...args], options: flags });
  const replicas = whole('replicas', values.replicas, 1, 1000, 'GPUs');
  const nodes = whole('nodes', values.nodes, 1, 64, 'processes');
  const size = whole('group-size', values['group-size'], 1, 1000, 'replicas');
  const groups = Math.ceil(replicas / size);
  if (nodes < groups)
    return raise('bad-setting', `--nodes is ${nodes}, and ${groups} groups of --group-size ${size} need one each`);
  const searches = whole('searches', values.searches, 1, 1_000_000, 'searches');
  const load = oneOf('load', values.load, ['day', 'flat', 'saturated']);
  const shared = {
    seed: whole('seed', values.seed, 0, 2 ** 31, ''),
    databaseCores: flagOf('database-cores', values['database-cores'], { low: 0.01, high: 64, unit: 'cores', why: '' }),
    replicasPerScorer: whole('replicas-per-scorer', values['replicas-per-scorer'], 1, 1000, 'replicas'),
    minutes: whole('minutes', values.minutes, 1, 60, 'minutes'),
    rollouts: whole('rollouts', values.rollouts, 1, 64, 'rollouts'),
    load: load === 'saturated' ? 'flat' : load,
    isSaturated: load === 'saturated',
    faults: faultsOf(values.faults),
    capacity: 'measured',
    gpus: oneOf('gpus', values.gpus, gpuChoices),
    policy: oneOf('policy', values.policy, ['safe', 'positive']),
  } as const;
  const part = (all: number, group: number) =>
    Math.floor(((group + 1) * all) / groups) - Math.floor((group * all) / groups);
  const specs = Array.from({ length: groups }, (_, group): GroupSpec => {
    const each = { replicas: part(replicas, group), nodes: part(nodes, group), searches: part(searches, group) };
    return { ...shared, ...each, group };
  });
  const threads = whole('threads', values.threads, 1, 16, 'threads');
  return { specs, threads, hasIdeal: !values['no-ideal'] };
}

function faultsOf(list: string): FaultName[] {
  if (list === 'none') return [];
  return list.split(',').map((each) => oneOf('faults', each, faultNames));
}

export async function run(args: readonly string[]): Promise<number> {
  const { values } = readArguments({ args: [...args], options: flags });
  const startedMs = performance.now();
  const print = (lines: readonly string[]) => console.log(`${lines.join('\n')}\n`);
  if (values.check) print(await checkLines());
  else await report(readPlan(args), print);
  const { user, system } = process.cpuUsage();
  const rss = process.memoryUsage().rss / 2 ** 30;
  const tookS = (performance.now() - startedMs) / 1000;
  print([`${tookS.toFixed(0)} s, ${((user + system) / 1e6).toFixed(0)} s of CPU, ${rss.toFixed(1)} GiB at the end`]);
  return 0;
}

async function report(plan: ClusterPlan, print: (lines: readonly string[]) => void): Promise<void> {
  const { specs, threads, hasIdeal } = plan;
  const first = specs[0]!;
  const results = await runGroups(specs, threads);
  print(first.isSaturated ? saturatedLines(results) : fateLines(results));
  print(growthLines(results, specs));
  if (first.faults.includes('rack') || first.faults.includes('node')) print(goodputLines(results, first));
  if (first.faults.includes('flood')) print(floodLines(results, specs));
  if (first.isSaturated) return print(await ratioLines(specs, results, threads));
  if (!hasIdeal) return;
  const ideal = await runGroups(
    specs.map((spec) => ({ ...spec, capacity: 'ideal' })),
    threads,
  );
  print(addedLines(results, ideal));
}

/** Replicas of each kind that are measured alone: one serves so few searches that chance decides which. */
const aloneRuns = 96;

/** Throughput over that of as many replicas alone, each with a node of its own and as much to do. */
async function ratioLines(
  specs: readonly GroupSpec[],
  results: readonly GroupResult[],
  threads: number,
): Promise<string[]> {
  const first = specs[0]!;
  const count = specs.reduce((sum, { replicas }) => sum + replicas, 0);
  const searches = Math.ceil(specs.reduce((sum, each) => sum + each.searches, 0) / count);
  const alone = async (gpus: 'h200' | 'a100') => {
    const each = Array.from({ length: aloneRuns }, (_, at): GroupSpec => {
      return { ...first, gpus, group: specs.length + at, replicas: 1, nodes: 1, searches, faults: [] };
    });
    const served = await runGroups(each, threads);
    return estimate([served.map((result) => throughputOf([result], first))]);
  };
  const [h200, a100] = [await alone('h200'), await alone('a100')];
  const slower = specs.reduce((sum, { replicas }) => sum + Math.floor(replicas / slowerEvery), 0);
  const most = (count - slower) * h200.value + slower * a100.value;
  const all = throughputOf(results, first);
  const ofAlone = Math.hypot((count - slower) * h200.half!, slower * a100.half!);
  // The replicas of the cluster are taken to differ by chance as lone ones do.
  const ofCluster = Math.hypot((count - slower) ** 0.5 * h200.half!, slower ** 0.5 * a100.half!) * aloneRuns ** 0.5;
  const half = Math.hypot((all / most ** 2) * ofAlone, ofCluster / most);
  return [
    `One H200 alone serves ${said(h200)} searches a second, one A100 ${said(a100)}: ${most.toFixed(1)} for ${count - slower} and ${slower}.`,
    `The cluster served ${all.toFixed(1)} a second: ${(all / most).toFixed(3)} ± ${half.toFixed(3)} of that.`,
  ];
}

function said({ value, half }: Estimate): string {
  return `${value.toFixed(3)} ± ${half!.toFixed(3)}`;
}
