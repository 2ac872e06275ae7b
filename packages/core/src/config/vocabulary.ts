// Settings of one search, by the configuration of its model, the body of a request, or a command. Each
// setting has one name (`tokenBudget`; a body writes it `token_budget`, a command `--token-budget` or `--set tokenBudget=N`),
// one unit, one default and one pair of bounds, stated here or where a policy or program defines its own. `client` says
// that a request may set it. Nothing here reads anything.

import { type Knob, type Knobs, type KnobValue, type OptionsOf, settingKnobs, valueOfText } from '../base/knob.ts';
import { packageOf } from '../base/unknown-names.ts';
import { type PolicyOptions, policyKnobs, turnedKnobs } from '../policy/knobs.ts';
import { type PolicyName, policyNames } from '../policy/policies.ts';
import { choices } from '../program/choice.ts';
import { type ProgramName, programKnobs, programNames } from '../program/registry/programs.ts';
import { aggregations } from '../tree/aggregate.ts';

const client = 'coppice';

/** Defaults of a model's searches; the operator sets them per model. */
export const modelKnobs = {
  program: {
    default: 'auto',
    get values(): readonly ProgramName[] {
      return programNames();
    },
    elsewhere: (name: string) => packageOf('program', name),
    unit: 'name',
    client,
    why: 'what decides what to grow: auto takes what suits the question and its judge; without a verifier one that needs it gives way to self-consistency',
  },
  policy: {
    default: 'safe',
    get values(): readonly PolicyName[] {
      return policyNames();
    },
    elsewhere: (name: string) => packageOf('policy', name),
    unit: 'name',
    client,
    why: "when a search ends and how the budget is shared: safe gives up on no question; 'positive' takes its place where a request names no policy and the rules of its model's policy do not go with program or verifier",
  },
  threshold: {
    low: 0,
    high: 1,
    unit: 'score',
    client,
    why: 'a completed path is accepted from this score on; unset, 0.9 ends searches and accepts only what a checker scores',
  },
  aggregation: { values: aggregations, unit: 'name', why: "of rewards along a path; the verifier's own where unset" },
  branching: {
    default: 4,
    low: 1,
    high: 64,
    whole: true,
    unit: 'steps',
    why: 'steps per expansion, our choice: children of a node, candidates of a beam; samples take one each',
  },
  choose: {
    default: 'best',
    values: choices,
    unit: 'rule',
    client,
    why: 'the answer: of the path with the highest score, or by a vote of all completed paths, weighted by score or not (majority)',
  },
  onUnaccepted: {
    default: 'best',
    values: ['best', 'refuse', 'error', 'escalate'],
    unit: 'what',
    client,
    why: 'what a client gets whose answer is unsure or missing: the best attempt, a refusal, an error, or the answer of escalateTo',
  },
  stepTokens: {
    default: 256,
    low: 1,
    high: 32_768,
    whole: true,
    unit: 'tokens',
    why: 'longest step; as in P3 and its baselines',
  },
  maxDepth: {
    default: 40,
    low: 1,
    high: 1000,
    whole: true,
    unit: 'steps',
    why: 'longest path, steps of thinking not counted; as in search-and-learn',
  },
  thinking: {
    default: 'auto',
    values: ['auto', 'on', 'off'],
    unit: 'switch',
    client,
    why: "whether a reasoning model thinks before it answers: 'auto' leaves it to its template, the others need one with a switch (enable_thinking)",
  },
  maxThinkingTokens: {
    low: 1,
    high: 1_000_000,
    whole: true,
    unit: 'tokens',
    client,
    why: 'of one path, after which its thinking is ended and the answer asked for; where unset reasoning_effort medium buys 32,768, the others in proportion',
  },
  recordTokens: {
    default: 'off',
    values: ['off', 'on'],
    unit: 'switch',
    client,
    why: 'whether the log says what the model read and wrote by token id, for coppice export; servers are then asked for log probabilities, which cost up to 40 % of their speed',
  },
} as const satisfies Knobs;

/** Sampling of the generator. OpenAI's API has fields for them. */
export const samplingKnobs = {
  temperature: {
    default: 0.8,
    low: 0,
    high: 2,
    unit: 'temperature',
    client: 'openai',
    why: 'of sampling: siblings must differ; P0 and its baselines use 0.7 to 1',
  },
  topP: { low: 0.000001, high: 1, unit: 'probability', client: 'openai', why: 'of sampling; off unless set' },
  topK: {
    low: 0,
    high: 100_000,
    whole: true,
    unit: 'tokens',
    client: 'openai',
    why: 'of sampling; off unless set; 0 is off',
  },
  minP: { low: 0, high: 1, unit: 'probability', client: 'openai', why: 'of sampling; off unless set' },
} as const satisfies Knobs;

/** Settings of requests alone; the limits and efforts of the configuration bound them and say what is usual. */
export const requestKnobs = {
  rollouts: {
    low: 1,
    high: 100_000,
    whole: true,
    unit: 'rollouts',
    client,
    why: 'paths that are paid for: rollouts of mcts, samples of the others; beam has half as many beams',
  },
  tokenBudget: {
    low: 1,
    high: 100_000_000,
    whole: true,
    unit: 'tokens',
    client,
    why: 'generated tokens over all branches; the best so far is given then',
  },
  deadlineMs: {
    low: 1,
    high: 604_800_000,
    whole: true,
    unit: 'ms',
    client,
    why: 'milliseconds since arrival; the best so far is given then',
  },
  priority: {
    low: -100,
    high: 100,
    whole: true,
    unit: 'priority',
    client,
    why: 'higher goes first; a key has a highest of its own',
  },
  reasoning: {
    default: 'separate',
    values: ['separate', 'inline'],
    unit: 'where',
    client,
    why: 'whether the steps before the answer come in a field of their own or with it',
  },
  moneyBudget: {
    low: 0,
    high: 1_000_000,
    unit: 'money',
    client,
    why: 'what the tokens of the engines may cost, in the currency of models[].price; any sum unless set',
  },
  maxTokens: {
    low: 1,
    high: 100_000_000,
    whole: true,
    unit: 'tokens',
    client: 'openai',
    why: 'of one path, and so of the text that is given back; a path cut there is no complete answer; unlimited unless set',
  },
  seed: {
    low: 0,
    high: 4_294_967_295,
    whole: true,
    unit: 'seed',
    client: 'openai',
    why: 'of all draws; drawn by the server where unset. One seed gives one tree with greedy, beam and mcts at width one; wider, as under boost, the tree also depends on which answer came first',
  },
} as const satisfies Knobs;

/** Settings of policies for users. */
export const policySettingKnobs = settingKnobs(policyKnobs);

export const searchKnobs = {
  ...modelKnobs,
  ...samplingKnobs,
  ...requestKnobs,
  ...policySettingKnobs,
} as const;

/** Options of policies and programs by their own names, as experiments turn them: no file, body, flag or library call may. */
export type InternalOptions = { readonly [Name in keyof PolicyOptions]?: PolicyOptions[Name] | undefined } & Readonly<
  Record<string, KnobValue | undefined>
>;

function isInternal(name: string): boolean {
  return (
    !Object.hasOwn(searchKnobs, name) && (Object.hasOwn(turnedKnobs(), name) || Object.hasOwn(programKnobs(), name))
  );
}

export type SearchKnob = keyof typeof searchKnobs;
export type SearchSettings = OptionsOf<typeof searchKnobs>;

/** Sets apart what only experiments turn: a wish has it as `internal`. */
export function withInternal<Told extends object>(told: Told): Told & { readonly internal: InternalOptions } {
  const said = Object.entries(told).filter(([, value]) => value !== undefined);
  const settings = Object.fromEntries(said.filter(([name]) => !isInternal(name)));
  return { ...(settings as Told), internal: Object.fromEntries(said.filter(([name]) => isInternal(name))) };
}

export const searchKnobNames = Object.keys(searchKnobs) as SearchKnob[];

export function knobOf(name: SearchKnob): Knob {
  return searchKnobs[name];
}

/** Place where a setting is named: the body of a request, the flags of a command, or a program's own code. */
export type Speaker = 'body' | 'flags' | 'code';

/** Settings that a person changes from question to question: each has a flag of its own in every command that takes it. */
export const flagKnobs = [
  'program',
  'policy',
  'rollouts',
  'threshold',
  'branching',
  'choose',
  'temperature',
  'seed',
  'tokenBudget',
  'deadlineMs',
] as const satisfies SearchKnob[];

/** Program of a request or a model that names none, but a rule or an option that `auto` has no use for. */
export const ruledProgram = 'mcts';
const ruleSettings = ['policy', 'threshold', 'choose', 'branching', 'boundPrune', ruledProgram];

export function namesRule(told: object): boolean {
  return ruleSettings.some((name) => (told as Readonly<Record<string, unknown>>)[name] !== undefined);
}

/** Name in a model's section of the configuration, and behind `--set`. */
export function settingName(name: SearchKnob): string {
  return Object.hasOwn(samplingKnobs, name) ? `sampling.${name}` : name;
}

/** A setting, or an option by its path (`chain.probe`), as the speaker writes it: `coppice.token_budget`, `--token-budget`, `--set maxDepth`. */
export function writtenName(name: string, speaker: Speaker): string {
  if (speaker === 'code') return name;
  const isKnob = isSearchKnob(name);
  const hasFlag = name === 'effort' || (flagKnobs as readonly string[]).includes(name);
  if (speaker === 'flags') return hasFlag ? `--${flagName(name)}` : `--set ${isKnob ? settingName(name) : name}`;
  if (name === 'maxTokens') return 'max_completion_tokens'; // which goes before the older max_tokens
  if (name === 'effort') return 'reasoning_effort';
  return isKnob && knobOf(name).client === 'openai' ? bodyName(name) : `coppice.${bodyName(name)}`;
}

export function isSearchKnob(name: string): name is SearchKnob {
  return Object.hasOwn(searchKnobs, name);
}

export function bodyName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function flagName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The value is not checked yet. */
export function flagValue(name: SearchKnob, text: string): KnobValue {
  return valueOfText(knobOf(name), text);
}
