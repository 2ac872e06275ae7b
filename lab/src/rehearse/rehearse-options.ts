// The options of `npm run lab -- rehearse`: read once, checked, and turned into points.

import { raise } from '@coppice/core/base';
import { budgetKnob, keyIn, modelKnobs, requestKnobs } from '@coppice/core/config';
import { remoteVerifierKinds } from '@coppice/core/verifier';
import { serverFlags } from 'coppice/cli';
import {
  type CommandFlags,
  type CommandHelp,
  exampleServer,
  flagOf,
  helpFlag,
  oneOf,
  readArguments,
  whole,
} from '../flags.ts';
import {
  contenderOf,
  parseLoad,
  perSecondOf,
  profileOf,
  readRequestTrace,
  readTrees,
  rows,
  searchDefaults,
  settingNames,
  type TracedRequest,
} from '../service/index.ts';
import { checkPrediction, type Prediction, predictedLoad, readPrediction } from './prediction.ts';
import { aloneLoad, type RehearsalPoint } from './rehearsal.ts';

const text = 'string';
const { embedder: _, ...servers } = serverFlags;

const serverGroup = {
  ...servers,
  model: { type: text, takes: 'NAME', about: 'the model that the generator must serve' },
  anyway: { type: 'boolean', default: false, about: 'also against servers that have other clients at work' },
} as const satisfies CommandFlags;
const pointGroup = {
  policy: {
    type: text,
    takes: 'ROWS',
    default: rows.slice(1).join(','),
    about: 'policies or programs, with options as boost:gate=0',
  },
  load: {
    type: text,
    takes: 'LOADS',
    about:
      '0.8/s: requests per second; backlog: all at once; alone: one after the other; 0.5x: half as fast as --trace came; 1p, 0.6v: of the capacity that --prediction says (1p with a prediction, 1x with a trace, else backlog)',
  },
  setting: {
    type: text,
    takes: 'NAME',
    default: settingNames[0],
    about: `whose questions: ${settingNames.join(', ')}`,
  },
  trees: { type: text, takes: 'FILE', about: 'questions from recorded trees (lab record) instead' },
  trace: {
    type: text,
    takes: 'FILE',
    about: 'gaps and lengths of a trace: CSV of Azure, JSON lines of Mooncake, or lab trace',
  },
  requests: { type: text, takes: 'N', default: '64', about: 'requests of each point' },
  budget: { type: text, takes: 'M', default: String(searchDefaults.budget), about: 'strands in all' },
  rollouts: { type: text, takes: 'N', default: '8', about: 'rollouts of a search' },
  threshold: {
    type: text,
    takes: 'X',
    default: String(searchDefaults.threshold),
    about: 'score at which an answer is accepted',
  },
  seed: { type: text, takes: 'N', default: '1', about: 'of all draws' },
} as const satisfies CommandFlags;
const outputGroup = {
  seconds: { type: text, takes: 'N', default: '300', about: 'time for all points; the rest runs next time' },
  out: {
    type: text,
    takes: 'FILE',
    default: 'rehearsal.jsonl',
    about: 'a line of JSON per point; points that are there are not run again',
  },
  prediction: { type: text, takes: 'FILE', about: 'what sim --json of the lab said, to be compared' },
  base: { type: text, takes: 'ROW', default: 'positive', about: 'the row to compare with' },
  json: { type: 'boolean', default: false, about: 'prints JSON instead of tables' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const flags = { ...serverGroup, ...pointGroup, ...outputGroup } as const;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'rehearse --engine URL --verifier URL [options]',
  about:
    'What will my servers hold? Serves simulated questions under policies and loads: what a step says comes from the simulator, the work is real. Needs no questions; answers mean nothing, times do.',
  groups: [
    ['the servers', serverGroup],
    ['the points; lists are separated by commas', pointGroup],
    ['output', outputGroup],
  ],
  examples: [`rehearse --engine ${exampleServer} --verifier URL --policy positive,safe --load 0.8/s`],
  notes: 'The exit status is 0 when every point is complete.',
};

export type RehearseOptions = ReturnType<typeof readRehearseOptions>;

export function readRehearseOptions(args: readonly string[]) {
  const { values } = readArguments({ args: [...args], options: flags });
  const { base, out, anyway, json } = values;
  const prediction = values.prediction === undefined ? undefined : readPrediction(values.prediction);
  contenderOf(base);
  return {
    engineServers: serversOf('engine', values.engine, values['key-env']),
    verifierServers: serversOf('verifier', values.verifier, values['verifier-key-env']),
    kind: oneOf('kind', values.kind ?? 'qwen-prm', remoteVerifierKinds),
    model: values.model,
    points: pointsOf(values, prediction),
    seconds: whole('seconds', values.seconds, 1, 86_400, 'seconds'),
    prediction,
    base,
    out,
    anyway,
    json,
  };
}

function serversOf(role: string, urls: readonly string[] | undefined, keyEnv: string | undefined) {
  if (urls === undefined) return raise('bad-setting', `--${role} is missing: a rehearsal needs its server`);
  const key = keyIn(keyEnv, process.env);
  return urls.map((url) => ({ url: url.replace(/\/+$/, '').replace(/\/v1$/, ''), ...key }));
}

type Values = ReturnType<typeof readArguments<{ options: typeof flags }>>['values'];

function pointsOf(values: Values, prediction: Prediction | undefined): RehearsalPoint[] {
  const { trees, trace: file } = values;
  const trace = file === undefined ? undefined : readRequestTrace(file);
  if (trace !== undefined && trees !== undefined)
    raise('bad-setting', '--trace and --trees both say how long answers are; give one of them');
  const common = {
    setting: profileOf(values.setting).name,
    seed: flagOf('seed', values.seed, requestKnobs.seed),
    requests: whole('requests', values.requests, 2, 1_000_000, 'requests'),
    budget: flagOf('budget', values.budget, budgetKnob),
    rollouts: flagOf('rollouts', values.rollouts, requestKnobs.rollouts),
    threshold: flagOf('threshold', values.threshold, modelKnobs.threshold),
    ...(trees === undefined ? {} : readTrees(trees) && { trees }),
    ...(trace && { trace: { file: trace.file } }),
  };
  if (trace !== undefined && common.requests > trace.requests.length)
    raise('bad-setting', `--requests is ${common.requests}; --trace ${trace.file} has ${trace.requests.length}`);
  if (prediction !== undefined) checkPrediction(prediction, common);
  const policies = listOf(values.policy);
  for (const row of policies) contenderOf(row);
  const loads = listOf(values.load ?? (prediction !== undefined ? '1p' : trace !== undefined ? '1x' : 'backlog'));
  return loads.flatMap((load) => {
    const predicted = (name: string) => prediction && predictedLoad(prediction, common, name)?.perSecond;
    const perSecond = tracedRate(load, trace?.requests.slice(0, common.requests)) ?? rateOf(load, predicted);
    return policies.map((row) => ({ ...common, row, load, perSecond }));
  });
}

function tracedRate(load: string, requests: readonly TracedRequest[] | undefined): number | undefined {
  const times = /^(\d+(?:\.\d+)?)x$/.exec(load)?.[1];
  if (times === undefined) return undefined;
  if (requests === undefined) return raise('bad-setting', `--load is '${load}', which needs a --trace; or say 0.8/s`);
  return perSecondOf(requests) * flagOf('load', times, { low: 0.0001, high: 10_000, unit: 'times', why: '' });
}

function rateOf(load: string, predicted: (load: string) => number | undefined): number | undefined {
  if (load === 'backlog' || load === aloneLoad) return undefined;
  const { factor, of } = parseLoad(load);
  if (of === 'clock') return factor;
  return (
    predicted(load) ?? raise('bad-setting', `--load is '${load}', which needs a --prediction that has it; or say 0.8/s`)
  );
}

function listOf(names: string): readonly string[] {
  return [...new Set(names.split(',').map((each) => each.trim()))];
}
