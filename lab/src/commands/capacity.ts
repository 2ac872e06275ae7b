// `npm run lab -- capacity --gpus 4 --p99 30`: finds the rate that this many GPUs hold, or with --rate the GPUs that it takes. Replays a trace of requests in
// virtual time, with an interval. Every figure is simulated, and the answer names the measurements of the machine.

import { raise } from '@coppice/core/base';
import { budgetKnob, requestKnobs } from '@coppice/core/config';
import { policyNames, programNames } from 'coppice';
import { type CapacityQuestion, gpusNeeded, mostGpus, rateHeld } from '../capacity/answer.ts';
import { capacityLines } from '../capacity/capacity-lines.ts';
import { fewestValues } from '../capacity/median.ts';
import type { CapacityPlan, RunTrial } from '../capacity/stream-capacity.ts';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, oneOf, readArguments, whole } from '../flags.ts';
import { profileOf, searchDefaults, settingNames, traceStreamOf } from '../service/index.ts';
import { contenderOf } from '../sim/contenders.ts';
import { machines, readMachine } from '../sim/machine.ts';
import { defaultThreads, TrialPool } from '../sim/trial-pool.ts';

const shipped = 'lab/recorded/traces/azure-conv-2023.csv.gz';
/** As many strands a GPU as the comparison of policies has. */
const strandsOfGpu = searchDefaults.budget / 2;
const standard = { machine: 'h200-vllm-causal', policy: 'safe', program: 'mcts', rollouts: '8', seed: '1' } as const;

const text = { type: 'string' } as const;
const question = {
  p99: { ...text, takes: 'S', about: 'the bound: seconds within which 99 % of the searches must end' },
  gpus: { ...text, takes: 'N', about: 'how many searches a second do they hold?' },
  rate: { ...text, takes: 'R', about: 'how many GPUs do so many searches a second need?' },
} as const satisfies CommandFlags;
const load = {
  trace: { ...text, takes: 'FILE', about: `requests of Azure, of Mooncake or of your own journal (${shipped})` },
  program: {
    ...text,
    takes: 'NAME',
    about: `what a request becomes (${standard.program}): ${programNames().join(', ')}`,
  },
  policy: { ...text, takes: 'NAME', about: `(${standard.policy}): ${policyNames().join(', ')}` },
  rollouts: { ...text, takes: 'N', about: `rollouts or samples of a search (${standard.rollouts})` },
  setting: { ...text, takes: 'NAME', about: `how hard questions are (${settingNames[0]}): ${settingNames.join(', ')}` },
} as const satisfies CommandFlags;
const place = {
  machine: {
    ...text,
    takes: 'NAME',
    about: `one GPU as lab table measured it, by file (${standard.machine}); also ${Object.keys(machines).join(', ')}`,
  },
  budget: { ...text, takes: 'M', about: `strands of each GPU (${strandsOfGpu})` },
} as const satisfies CommandFlags;
const size = {
  streams: {
    ...text,
    takes: 'N',
    about: `streams resampled from the trace (${fewestValues}); more narrow the interval`,
  },
  requests: { ...text, takes: 'N', about: 'of each stream (as many as come in 8 times the bound, 400 to 1200)' },
  seed: { ...text, takes: 'N', about: `(${standard.seed})` },
  threads: { ...text, takes: 'N', about: 'trials at a time (all cores)' },
  json: { type: 'boolean', about: 'prints the answer as JSON' },
} as const satisfies CommandFlags;
const flags = { ...question, ...load, ...place, ...size, ...helpFlag } as const;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'capacity --p99 S (--gpus N | --rate R) [options]',
  about:
    'What would so many GPUs hold? Replays a trace of requests in virtual time with the production scheduler, and looks for the highest rate at which p99 keeps the bound. Every figure is simulated.',
  groups: [
    ['the question', question],
    ['the load', load],
    ['the machine', place],
    ['the size', size],
  ],
  examples: [
    'capacity --gpus 4 --p99 30',
    'capacity --rate 20 --p99 30 --program self-consistency --trace requests.jsonl',
    'capacity --gpus 1 --p99 10 --machine table.json',
  ],
};

type Values = Readonly<Record<string, string | boolean | undefined>>;

export async function run(args: readonly string[]): Promise<number> {
  const values: Values = readArguments({ args: [...args], options: flags }).values;
  const asked = askedOf(values);
  const plan = planOf(values);
  const threads =
    values.threads === undefined ? defaultThreads() : whole('threads', String(values.threads), 1, 256, 'threads');
  const pool = new TrialPool({ threads });
  try {
    const found = await answerTo(asked, plan, (spec) => pool.run(spec));
    if (values.json === true) console.log(JSON.stringify({ simulated: true, asked, plan, answer: found }));
    else console.log(capacityLines(asked, plan, found).join('\n'));
    return found === undefined ? 1 : 0;
  } finally {
    await pool.close();
  }
}

function answerTo({ gpus, rate }: CapacityQuestion, plan: CapacityPlan, trial: RunTrial) {
  return gpus === undefined
    ? gpusNeeded(plan, rate!, trial, console.error)
    : rateHeld(plan, gpus, trial, console.error);
}

function askedOf({ gpus, rate }: Values): CapacityQuestion {
  if ((gpus === undefined) === (rate === undefined))
    raise(
      'bad-setting',
      'what is asked? Give --gpus N for the rate that they hold, or --rate R for the GPUs that it needs',
    );
  if (gpus !== undefined) return { gpus: whole('gpus', String(gpus), 1, mostGpus, 'GPUs') };
  return { rate: number('rate', String(rate), 0.001, 10_000, 'searches a second') };
}

function planOf(values: Values): CapacityPlan {
  const read = (name: string, otherwise: string) => String(values[name] ?? otherwise);
  if (values.p99 === undefined)
    raise('bad-setting', '--p99 is missing: how many seconds may 99 % of the searches take?');
  const machine = readMachine(read('machine', standard.machine));
  const policy = oneOf('policy', read('policy', standard.policy), policyNames());
  const program = oneOf('program', read('program', standard.program), programNames());
  const budget = flagOf('budget', read('budget', String(strandsOfGpu)), budgetKnob);
  const roomTokens = Math.min(machine.generator.kvTokens, machine.rewardModel.kvTokens);
  const trace = { file: read('trace', shipped), roomTokens };
  // Here rather than in a thread, whose faults are no single line.
  traceStreamOf(trace);
  return {
    trace,
    machine,
    contender: { ...contenderOf(policy), program },
    setting: profileOf(read('setting', settingNames[0])).name,
    rollouts: flagOf('rollouts', read('rollouts', standard.rollouts), requestKnobs.rollouts),
    budget,
    p99Ms: 1000 * number('p99', String(values.p99), 0.001, 1e6, 'seconds'),
    ...(values.requests !== undefined && { requests: count('requests', String(values.requests), 100) }),
    streams: whole('streams', read('streams', String(fewestValues)), fewestValues, 1000, 'streams'),
    seed: flagOf('seed', read('seed', standard.seed), requestKnobs.seed),
  };
}

function count(option: string, given: string, low: number): number {
  return whole(option, given, low, 1_000_000, option);
}

function number(option: string, given: string, low: number, high: number, unit: string): number {
  return flagOf(option, given, { low, high, unit, why: '' });
}
