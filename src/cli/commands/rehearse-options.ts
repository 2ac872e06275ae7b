// The options of `coppice rehearse`: read once, checked, and turned into points. A bad one is refused in one line that gives
// the value and what it may be.

import { raise } from '../../base/fault.ts';
import { checkPrediction, type Prediction, predictedLoad, readPrediction } from '../../bench/rehearse/prediction.ts';
import { aloneLoad, type RehearsalPoint } from '../../bench/rehearse/rehearsal.ts';
import { contenderOf, rows } from '../../bench/simulated/contenders.ts';
import { parseLoad } from '../../bench/simulated/load.ts';
import { profileOf, searchDefaults, settingNames } from '../../bench/simulated/profiles.ts';
import { readTrees } from '../../bench/simulated/questions.ts';
import type { TracedRequest } from '../../bench/simulated/trace/formats.ts';
import { perSecondOf, readRequestTrace } from '../../bench/simulated/trace/request-trace.ts';
import { budgetKnob } from '../../config/machine-knobs.ts';
import { modelKnobs, requestKnobs } from '../../config/vocabulary.ts';
import { type RemoteVerifierKind, remoteVerifierKinds } from '../../verifier/remote/open-verifier.ts';
import { keyOf } from '../terminal/model-flags.ts';
import { flagOf, given, oneOf, readArguments, whole } from '../terminal/options.ts';

const standard = { seed: '1', requests: '64', rollouts: '8', seconds: '300', out: 'rehearsal.jsonl' } as const;

export const help = `usage: coppice rehearse --engine URL --verifier URL [options]
What will my servers hold? Serves simulated questions under policies and loads:
what a step says comes from the simulator, the work is real. Needs no questions;
answers mean nothing, times do.

  --engine URL         a server of the generator; once per replica
  --model NAME         the model that it must serve
  --key-env NAME       environment variable with its key
  --verifier URL       a server of the reward model; once per replica
  --kind NAME          what that is (qwen-prm):
                       ${remoteVerifierKinds.join(', ')}
  --verifier-key-env NAME
  --policy ROWS        policies or programs, with options as boost:beta=0
         (${rows.slice(1).join(', ')})
  --load LOADS         0.8/s: requests per second; backlog: all at once; alone:
                       one after the other; 0.5x: half as fast as --trace came;
                       1p, 0.6v: of the capacity that --prediction says (1p
                       with a prediction, 1x with a trace, else backlog)
  --setting NAME       whose questions (${settingNames[0]}):
                       ${settingNames.join(', ')}
  --trees FILE         questions from recorded trees (lab record) instead
  --trace FILE         gaps between requests, prompt and answer lengths from a
                       trace (Azure's CSV, Mooncake's JSON lines, lab trace)
  --requests N         requests of each point (${standard.requests})
  --budget M           strands in all (${searchDefaults.budget})
  --rollouts N         rollouts of a search (${standard.rollouts})
  --threshold X        score at which an answer is accepted (${searchDefaults.threshold})
  --seed N             (${standard.seed})
  --seconds N          time for all points (${standard.seconds}); the rest runs next time
  --out FILE           results, a line of JSON per point; those that are there
                       are not run again (${standard.out})
  --prediction FILE    what the lab's sim --json said, to be compared
  --base ROW           the row to compare with (positive)
  --anyway             also against servers that have other clients at work
  --json               prints JSON instead of tables

Lists are separated by commas. The exit status is 0 when every point is
complete.`;

const text = { type: 'string' } as const;
const list = { type: 'string', multiple: true } as const;
const flag = { type: 'boolean' } as const;
export const flags = {
  engine: list,
  model: text,
  'key-env': text,
  verifier: list,
  kind: text,
  'verifier-key-env': text,
  policy: text,
  load: text,
  setting: text,
  trees: text,
  trace: text,
  requests: text,
  budget: text,
  rollouts: text,
  threshold: text,
  seed: text,
  seconds: text,
  out: text,
  prediction: text,
  base: text,
  anyway: flag,
  json: flag,
  help: { type: 'boolean', short: 'h' },
} as const;

interface Server {
  readonly url: string;
  readonly apiKey?: string;
}

export interface RehearseOptions {
  readonly engineServers: readonly Server[];
  readonly verifierServers: readonly Server[];
  readonly kind: RemoteVerifierKind;
  readonly model?: string;
  readonly points: readonly RehearsalPoint[];
  readonly base: string;
  readonly seconds: number;
  readonly out: string;
  readonly prediction?: Prediction;
  readonly anyway: boolean;
  readonly json: boolean;
}

export function readRehearseOptions(args: readonly string[]): RehearseOptions {
  const { values } = readArguments({ args: [...args], options: flags });
  const prediction = given('prediction', values.prediction, readPrediction);
  const base = values.base ?? 'positive';
  contenderOf(base);
  return {
    engineServers: serversOf('engine', values.engine, values['key-env']),
    verifierServers: serversOf('verifier', values.verifier, values['verifier-key-env']),
    kind: oneOf('kind', values.kind ?? 'qwen-prm', remoteVerifierKinds),
    ...given('model', values.model, (name) => name),
    points: pointsOf(values, prediction.prediction),
    base,
    seconds: whole('seconds', values.seconds ?? standard.seconds, 1, 86_400, 'seconds'),
    out: values.out ?? standard.out,
    ...prediction,
    anyway: values.anyway === true,
    json: values.json === true,
  };
}

function serversOf(role: string, urls: readonly string[] | undefined, keyEnv: string | undefined): Server[] {
  if (urls === undefined) return raise('bad-setting', `--${role} is missing: a rehearsal needs its server`);
  const key = keyOf(keyEnv);
  return urls.map((url) => ({ url: url.replace(/\/+$/, '').replace(/\/v1$/, ''), ...key }));
}

type Values = {
  readonly [Name in
    | 'policy'
    | 'load'
    | 'setting'
    | 'trees'
    | 'trace'
    | 'requests'
    | 'budget'
    | 'rollouts'
    | 'threshold'
    | 'seed']?: string | undefined;
};

function pointsOf(values: Values, prediction: Prediction | undefined): RehearsalPoint[] {
  const { trees, trace: file } = values;
  const trace = file === undefined ? undefined : readRequestTrace(file);
  if (trace !== undefined && trees !== undefined)
    raise('bad-setting', '--trace and --trees both say how long answers are; give one of them');
  const common = {
    setting: profileOf(values.setting ?? settingNames[0]).name,
    seed: flagOf('seed', values.seed ?? standard.seed, requestKnobs.seed),
    requests: whole('requests', values.requests ?? standard.requests, 2, 1_000_000, 'requests'),
    budget: flagOf('budget', values.budget ?? String(searchDefaults.budget), budgetKnob),
    rollouts: flagOf('rollouts', values.rollouts ?? standard.rollouts, requestKnobs.rollouts),
    threshold: flagOf('threshold', values.threshold ?? String(searchDefaults.threshold), modelKnobs.threshold),
    ...(trees === undefined ? {} : readTrees(trees) && { trees }),
    ...(trace && { trace: { file: trace.file } }),
  };
  if (trace !== undefined && common.requests > trace.requests.length)
    raise('bad-setting', `--requests is ${common.requests}; --trace ${trace.file} has ${trace.requests.length}`);
  if (prediction !== undefined) checkPrediction(prediction, common);
  const policies = listOf(values.policy, rows.slice(1));
  for (const row of policies) contenderOf(row);
  const loads = listOf(values.load, [prediction !== undefined ? '1p' : trace !== undefined ? '1x' : 'backlog']);
  return loads.flatMap((load) => {
    const predicted = (name: string) => prediction && predictedLoad(prediction, common, name)?.perSecond;
    const perSecond = tracedRate(load, trace?.requests.slice(0, common.requests)) ?? rateOf(load, predicted);
    return policies.map((row) => ({ ...common, row, load, perSecond }));
  });
}

/** As many times as fast as the trace came. */
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

function listOf(given: string | undefined, otherwise: readonly string[]): readonly string[] {
  return given === undefined ? otherwise : [...new Set(given.split(',').map((each) => each.trim()))];
}
