// What is compared: a program under the rules and the scheduler of a policy, with options where a study turns a knob.
// The names are those of P0's comparison (§5.1); `beam` alone and the fixed widths serve its figures 2 and 4.

import { never } from '../../base/assert.ts';
import { raise } from '../../base/fault.ts';
import { createPolicy } from '../../policy/create.ts';
import { type PolicyOptions, resolveOptions } from '../../policy/knobs.ts';
import { type Policy, type PolicyName, policyNames, type Rules } from '../../policy/policy.ts';
import { createBeam } from '../../program/beam.ts';
import { createMcts } from '../../program/mcts/mcts.ts';
import type { Program } from '../../program/program.ts';
import type { Scheduler } from '../../scheduler/scheduler.ts';

export type SimulatedContender =
  | { readonly program: 'mcts' | 'beam'; readonly policy: PolicyName; readonly options?: Partial<PolicyOptions> }
  /** Serial MCTS's rules with as many rollouts at a time as the budget has strands: P0 §3.3. */
  | { readonly program: 'parallel' };

/** The canonical comparison, in P0's order. */
export const rows = ['beam+positive', 'vanilla', 'positive', 'positive+strict', 'positive+negative', 'boost'] as const;

/** A row as it is written: one of the above, `beam`, or a policy with knobs turned, such as `boost:first=boost:beta=0`. */
export type RowName = string;

export function contenderOf(row: RowName): SimulatedContender {
  const [name, ...settings] = row.split(':');
  if (name === 'beam' || name === 'beam+positive') {
    if (settings.length > 0) raise('bad-setting', `policy is '${row}'; beam search has no knobs here`);
    return { program: 'beam', policy: name === 'beam' ? 'vanilla' : 'positive' };
  }
  const policy = policyNames.find((each) => each === name);
  if (policy === undefined) raise('bad-setting', `policy is '${row}'; it must be one of ${rows.join(', ')}`);
  return settings.length === 0
    ? { program: 'mcts', policy }
    : { program: 'mcts', policy, options: optionsOf(settings) };
}

function optionsOf(settings: readonly string[]): Partial<PolicyOptions> {
  const given: Record<string, number | string> = {};
  for (const setting of settings) {
    const [knob, value, ...more] = setting.split('=');
    if (!knob || !value || more.length > 0) raise('bad-setting', `knob is '${setting}'; write NAME=VALUE`);
    given[knob] = Number.isFinite(Number(value)) ? Number(value) : value;
  }
  resolveOptions(given);
  return given;
}

export interface Parts {
  readonly program: Program;
  readonly rules: Rules;
  readonly scheduler: Scheduler;
}

export function partsOf(
  contender: SimulatedContender,
  limits: { readonly rollouts: number; readonly branching: number },
): Parts {
  switch (contender.program) {
    case 'mcts':
      return { program: createMcts(limits), ...take(createPolicy(contender.policy, contender.options)) };
    case 'beam':
      return { program: createBeam(), ...take(createPolicy(contender.policy, contender.options)) };
    case 'parallel': {
      const { rules } = createPolicy('vanilla');
      const { scheduler } = createPolicy('boost', { gate: 0 });
      return { program: createMcts(limits), rules: { ...rules, boost: true }, scheduler };
    }
    default:
      return never(contender, 'contender');
  }
}

function take({ rules, scheduler }: Policy): Pick<Parts, 'rules' | 'scheduler'> {
  return { rules, scheduler };
}
