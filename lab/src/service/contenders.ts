// Rows of a comparison: a program under the rules and scheduler of a policy, with optional knobs. The names are those of P0's comparison (§5.1).

import {
  type BuiltSearch,
  buildSearch,
  ownPlan,
  type PlannedModel,
  type SearchPlan,
  type Wish,
} from '@coppice/core/answering';
import { complaint, type Knobs, type KnobValue, raise, valueOfText } from '@coppice/core/base';
import { type InternalOptions, type SearchKnob, type SearchSettings, withInternal } from '@coppice/core/config';
import { createScheduler, optionsOf, type PolicyName, policyNames, turnedKnobs } from '@coppice/core/policy';
import { type Choice, type ProgramName, programNames, programOf, programs } from '@coppice/core/program';
import type { Scheduler } from '@coppice/core/scheduler';
import type { Aggregation } from '@coppice/core/tree';

/** Settings of a row, and options that only experiments turn. */
export type TurnedWish = { readonly [Name in SearchKnob]?: SearchSettings[Name] | undefined } & InternalOptions;

export interface PolicyContender {
  readonly program: ProgramName;
  readonly policy: PolicyName;
  readonly knobs?: TurnedWish;
}

/** The canonical comparison, in P0's order. */
export const rows = ['beam+positive', 'vanilla', 'positive', 'positive+strict', 'positive+negative', 'boost'] as const;

/** Every other program too, with the exit that it can use: the positive one needs scores. */
const otherRows = programs()
  .filter(({ name }) => name !== 'mcts')
  .flatMap(({ name, needsVerifier }) => [name, ...(needsVerifier ? [`${name}+positive`] : [])]);
export const allRows: readonly string[] = [...new Set([...rows, ...otherRows])];

/** A row's name: a policy of MCTS or `PROGRAM+POLICY`, with optional knobs: `boost:gate=0:firstDepthCut=0.4`. */
export type RowName = string;

export function contenderOf(row: RowName): PolicyContender {
  const [name = '', ...settings] = row.split(':');
  const found = namedBy(policyNames().some((each) => each === name) ? `mcts+${name}` : name);
  if (found === undefined) return raise('bad-setting', `--policy is '${row}'; it must be one of ${allRows.join(', ')}`);
  return settings.length === 0 ? found : turned(found, settings);
}

function namedBy(name: string): PolicyContender | undefined {
  const [first, ...rules] = name.split('+');
  const program = programNames().find((each) => each === first);
  if (program === undefined) return undefined;
  const { needsVerifier, isPriced } = programOf(program);
  // The default runs as it is served.
  const usual = isPriced ? 'safe' : 'vanilla';
  const policy = policyNames().find((each) => each === (rules.join('+') || usual));
  // Without scores no exit of a policy can fire.
  return policy !== undefined && (policy === usual || needsVerifier) ? { program, policy } : undefined;
}

function turned(contender: PolicyContender, settings: readonly string[]): PolicyContender {
  const known: Knobs = { ...turnedKnobs(), ...programOf(contender.program).options };
  const knobs = Object.fromEntries(settings.map((setting) => turnedKnob(setting, known)));
  const ofPolicy = Object.entries(knobs).filter(([name]) => Object.hasOwn(turnedKnobs(), name));
  optionsOf(contender.policy, Object.fromEntries(ofPolicy));
  return { ...contender, knobs: knobs as TurnedWish };
}

export function turnedKnob(setting: string, known: Knobs): [string, KnobValue] {
  const [name, text, ...more] = setting.split('=');
  if (!name || !text || more.length > 0) return raise('bad-setting', `knob is '${setting}'; write NAME=VALUE`);
  const knob = Object.hasOwn(known, name) ? known[name] : undefined;
  if (knob === undefined) {
    return raise('bad-setting', `there is no option '${name}' here; there are ${Object.keys(known).join(', ')}`);
  }
  const value = valueOfText(knob, text);
  const wrong = complaint(knob, value);
  return wrong === undefined ? [name, value] : raise('bad-setting', `${name} ${wrong}`);
}

/** The plan, the program and the scheduler that all questions of a row share. */
export interface SimulatedSearch {
  readonly built: BuiltSearch;
  readonly scheduler: Scheduler;
}

export interface SimulatedSize {
  readonly rollouts: number;
  readonly branching?: number;
  readonly threshold: number;
  /** The simulated verifier's own, and the best path, unless given. */
  readonly aggregation?: Aggregation;
  readonly choose?: Choice;
}

/** `build` replaces the usual parts, for studies with parts that no plan names. */
export function searchOf(
  contender: PolicyContender,
  model: PlannedModel,
  size: SimulatedSize,
  build: (plan: SearchPlan) => SimulatedSearch = plainSearch,
): SimulatedSearch {
  const { program, policy, knobs = {} } = contender;
  const beams = program === 'beam' ? { ...paperBeams, ...(size.branching && { branching: size.branching }) } : {};
  const wish: Wish = { ...size, ...beams, ...withInternal(knobs), program, policy };
  return build(ownPlan(model, 'every question', wish, 0));
}

function plainSearch(plan: SearchPlan): SimulatedSearch {
  return { built: buildSearch(plan), scheduler: createScheduler(plan.policy, plan.policyOptions) };
}

/** P0's eight beams of eight candidates: a beam is worth two rollouts. */
const paperBeams: Wish = { rollouts: 16, branching: 8 };
