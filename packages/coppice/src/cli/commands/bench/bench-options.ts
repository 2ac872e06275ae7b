// Reads and checks the options of `coppice bench` once; they are printed under the table.

import { ownModel, type Wish } from '@coppice/core/answering';
import { requestKnobs, type SearchKnob } from '@coppice/core/config';
import { policyNames } from '@coppice/core/policy';
import { programNames, programOf } from '@coppice/core/program';
import { entrantNames } from '../../../bench/contest/contenders.ts';
import { exampleServer, type Flags, type Help, helpFlag } from '../../flags/help.ts';
import { knobFlags } from '../../flags/knob-flags.ts';
import { modelFlags, readModelFlags } from '../../flags/model-flags.ts';
import { flagOf, given, oneOf, whole } from '../../flags/options.ts';
import { questionFlags, readQuestionFlags } from '../../flags/question-flags.ts';
import { settingHelp } from '../../flags/setting-help.ts';
import { ownKnobs, readSearchArguments, type SettingScope, setFlag } from '../../flags/settings.ts';

/** The contest sets these, not `--set`. */
const contestKnobs: readonly SearchKnob[] = ['program', 'policy', 'rollouts', 'seed'];
const scope: SettingScope = { search: ownKnobs.filter((name) => !contestKnobs.includes(name)), model: () => true };

const contestGroup = {
  programs: {
    type: 'string',
    takes: 'NAMES',
    default: 'default,greedy,self-consistency,best-of-n,boost',
    about: 'default: what runs if none is named; boost: mcts with it',
  },
  policies: { type: 'string', takes: 'NAMES', default: 'safe', about: 'of mcts and best-first: a row each' },
  rollouts: {
    type: 'string',
    takes: 'N',
    about: `${knobFlags.rollouts.about.split(',')[0]!} (16; best-first, one path each: 16 times --branching, as in ask)`,
  },
  samples: {
    type: 'string',
    takes: 'N',
    about: 'of best-of-n and self-consistency, if not --rollouts; best-of-n goes on to the tokens of the best search',
    rare: true,
  },
  concurrency: { type: 'string', takes: 'N', default: '8', about: 'searches at a time', rare: true },
} as const satisfies Flags;
const searchGroup = {
  threshold: knobFlags.threshold,
  branching: knobFlags.branching,
  choose: knobFlags.choose,
  temperature: knobFlags.temperature,
  'token-budget': { ...knobFlags['token-budget'], rare: true },
  'deadline-ms': { ...knobFlags['deadline-ms'], rare: true },
  seed: { type: 'string', takes: 'N', default: '1', about: 'of all draws' },
  ...setFlag,
} as const satisfies Flags;
const outputGroup = {
  resume: { type: 'string', takes: 'FILE', about: 'keeps every trial there, and repeats none that it holds' },
  json: { type: 'boolean', default: false, about: 'prints JSON instead of the table' },
  ...helpFlag,
} as const satisfies Flags;

export const flags = { ...questionFlags, ...contestGroup, ...searchGroup, ...modelFlags, ...outputGroup } as const;

export const help: Help = {
  usage: 'bench [options]',
  about: 'Answers a set of questions with several programs and policies, and prints one table.',
  groups: [
    ['the questions', questionFlags],
    ['the contest', contestGroup],
    ['every search', searchGroup],
    ['the model', modelFlags],
    ['output', outputGroup],
  ],
  settings: settingHelp(scope),
  examples: [
    'bench --task countdown --size 20',
    'bench --programs mcts --policies safe,boost,positive --rollouts 32',
    `bench --questions mine.jsonl --engine ${exampleServer}`,
  ],
  notes: `programs: ${programNames().join(', ')}; policies: ${policyNames().join(', ')}`,
};

const mediumRollouts = 16; // what `reasoning_effort: medium` buys
const contestBudget = 16; // strands open at a time, of every model: rows of different models are compared

export type BenchSettings = ReturnType<typeof readBench>;

export function configurationOf(settings: BenchSettings): Readonly<Record<string, unknown>> {
  const { own, wish, task, file, range, size, full, ...rest } = settings;
  const { concurrency, budget, seed, rollouts, pathRollouts, samples } = rest;
  const { model = 'sapling', engines, verifiers, kind, prm, embedder } = own;
  const { budget: _, check: __, ...set } = own.settings ?? {};
  const servers = { engines: engines?.join(' '), verifiers: verifiers?.join(' '), kind, embedder };
  const { check, branching, threshold, choose, sampling } = ownModel(own);
  const questions = { questions: file ?? `${task}.test`, range, size: full ? 'full' : size };
  const search = { branching, threshold, choose, temperature: sampling.temperature, ...wish };
  return {
    model: engines === undefined ? model : own.model,
    ...servers,
    prm,
    check,
    ...(Object.keys(set).length === 0 ? {} : { set: JSON.stringify(set) }),
    ...questions,
    rollouts,
    pathRollouts,
    samples,
    ...search,
    concurrency,
    budget,
    seed,
  };
}

export function configurationLine(configuration: Readonly<Record<string, unknown>>): string {
  return Object.entries(configuration)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join('-') : value}`)
    .join(', ');
}

/** Rollouts if none are named. A rollout of best-first draws one path, others draw `branching`. */
function rolloutsOf(given: string | undefined, branching: number) {
  if (given !== undefined) return { rollouts: flagOf('rollouts', given, requestKnobs.rollouts) };
  return { rollouts: mediumRollouts, pathRollouts: mediumRollouts * branching };
}

/** The lab's commands on the same questions and models use it too. */
export function readBench(args: readonly string[]) {
  const { values, wish, model } = readSearchArguments({ args: [...args], options: flags }, scope);
  const known = [...entrantNames, ...programNames()];
  const entrants = values.programs.split(',').map((name) => oneOf('programs', name.trim(), known));
  const needsVerifier = entrants.some(
    (name) => name === 'boost' || (name !== 'default' && programOf(name).needsVerifier),
  );
  const own = readModelFlags(values, needsVerifier, model);
  const asked: Wish = { ...wish, ...given('rollouts', values.rollouts, Number) };
  return {
    ...readQuestionFlags(values),
    entrants,
    policies: values.policies.split(',').map((name) => oneOf('policies', name.trim(), policyNames())),
    ...rolloutsOf(values.rollouts, wish.branching ?? ownModel(own).branching),
    wish: asked,
    own,
    concurrency: whole('concurrency', values.concurrency, 1, 10_000, 'searches'),
    budget: own.settings?.budget === undefined ? contestBudget : Number(own.settings.budget),
    seed: flagOf('seed', values.seed, requestKnobs.seed),
    json: values.json,
    ...given('resume', values.resume, String),
    ...given('samples', values.samples, (value) => flagOf('samples', value, requestKnobs.rollouts)),
  };
}
