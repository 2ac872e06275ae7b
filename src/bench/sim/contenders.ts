// What is compared: a program under the rules and the scheduler of a policy, with options where a study turns a knob.
// The names are those of P0's comparison (§5.1); `beam` alone and the fixed widths serve its figures 2 and 4; independent
// samples are what every search has to beat.

import { raise } from '../../base/fault.ts';
import { complaint, type Knob, type KnobValue, valueOfText } from '../../base/knob.ts';
import { createPolicy } from '../../policy/create.ts';
import { type PolicyOptions, resolveOptions } from '../../policy/knobs.ts';
import { type Policy, type PolicyName, policyNames, type Rules } from '../../policy/policy.ts';
import { createBeam } from '../../program/beam.ts';
import { createMcts, mctsDefaults } from '../../program/mcts/mcts.ts';
import type { Program } from '../../program/program.ts';
import { createProgram, type ProgramName, programOf } from '../../program/registry/programs.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';

export interface PolicyContender {
  readonly program: ProgramName;
  readonly policy: PolicyName;
  readonly options?: Partial<PolicyOptions>;
  /** Options of the program itself. */
  readonly shape?: Readonly<Record<string, KnobValue>>;
}

export type SimulatedContender =
  | PolicyContender
  /** Serial MCTS's rules with as many rollouts at a time as the budget has strands: P0 §3.3. */
  | { readonly program: 'parallel' };

/** The canonical comparison, in P0's order. */
export const rows = ['beam+positive', 'vanilla', 'positive', 'positive+strict', 'positive+negative', 'boost'] as const;

/**
 * Other programs, with the exits that each can use: the positive one needs scores, the negative ones need a program that does
 * not come back to a node.
 */
const otherPrograms: Readonly<Record<string, PolicyContender>> = {
  beam: { program: 'beam', policy: 'vanilla' },
  'beam+positive': { program: 'beam', policy: 'positive' },
  'best-of-n': { program: 'best-of-n', policy: 'vanilla' },
  'best-of-n+positive': { program: 'best-of-n', policy: 'positive' },
  'self-consistency': { program: 'self-consistency', policy: 'vanilla' },
  greedy: { program: 'greedy', policy: 'vanilla' },
};
export const allRows: readonly string[] = [...new Set([...rows, ...Object.keys(otherPrograms)])];

/** A row as it is written: one of the above, or one with knobs turned, such as `boost:first=boost:beta=0`. */
export type RowName = string;

export function contenderOf(row: RowName): SimulatedContender {
  const [name = '', ...settings] = row.split(':');
  const policy = policyNames.find((each) => each === name);
  const found = policy === undefined ? otherPrograms[name] : ({ program: 'mcts', policy } as const);
  if (found === undefined) return raise('bad-setting', `policy is '${row}'; it must be one of ${allRows.join(', ')}`);
  return settings.length === 0 ? found : turned(found, settings);
}

/** Knobs of the program by its own name, all others of the policy. */
function turned(contender: PolicyContender, settings: readonly string[]): PolicyContender {
  const own = programOf(contender.program).options;
  const shape: Record<string, KnobValue> = {};
  const options: Record<string, KnobValue> = {};
  for (const setting of settings) {
    const [name, text, ...more] = setting.split('=');
    if (!name || !text || more.length > 0) raise('bad-setting', `knob is '${setting}'; write NAME=VALUE`);
    const knob = Object.hasOwn(own, name) ? own[name] : undefined;
    if (knob === undefined) options[name] = Number.isFinite(Number(text)) ? Number(text) : text;
    else shape[name] = checked(name, knob, valueOfText(knob, text));
  }
  resolveOptions(options);
  return { ...contender, options, shape };
}

function checked(name: string, knob: Knob, value: KnobValue): KnobValue {
  const wrong = complaint(knob, value);
  return wrong === undefined ? value : raise('bad-setting', `${name} ${wrong}`);
}

export interface Parts {
  readonly program: Program;
  readonly rules: Rules;
  readonly scheduler: Scheduler;
}

export interface Size {
  readonly rollouts: number;
  readonly branching: number;
}

export function partsOf(contender: SimulatedContender, size: Size): Parts {
  if (contender.program !== 'parallel') {
    return { program: programFor(contender, size), ...take(createPolicy(contender.policy, contender.options)) };
  }
  const { rules } = createPolicy('vanilla');
  const { scheduler } = createPolicy('boost', { gate: 0 });
  return { program: createMcts(size), rules: { ...rules, boost: true }, scheduler };
}

/** Beams are P0's eight of eight candidates, whatever the number of rollouts; a sample is worth a rollout. */
function programFor({ program, shape = {} }: PolicyContender, { rollouts, branching }: Size): Program {
  const { maxDepth, sampling, choose } = mctsDefaults;
  if (program === 'beam') return createBeam();
  return createProgram(program, { rollouts, branching, maxDepth, sampling, choose }, shape);
}

function take({ rules, scheduler }: Policy): Pick<Parts, 'rules' | 'scheduler'> {
  return { rules, scheduler };
}
