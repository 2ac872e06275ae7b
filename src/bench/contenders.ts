// What is compared: a program under the rules and the scheduler of a policy, with options where a study turns a knob.
// The names are those of P0's comparison (§5.1); `beam` alone and the fixed widths serve its figures 2 and 4.

import { never } from '../base/assert.ts';
import { raise } from '../base/fault.ts';
import { createPolicy } from '../policy/create.ts';
import type { PolicyOptions } from '../policy/knobs.ts';
import { type Policy, type PolicyName, policyNames, type Rules } from '../policy/policy.ts';
import { createBeam } from '../program/beam.ts';
import { createMcts } from '../program/mcts/mcts.ts';
import type { Program } from '../program/program.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';

export type Contender =
  | { readonly program: 'mcts' | 'beam'; readonly policy: PolicyName; readonly options?: Partial<PolicyOptions> }
  /** Serial MCTS's rules with as many rollouts at a time as the budget has strands: P0 §3.3. */
  | { readonly program: 'parallel' };

/** The canonical comparison, in P0's order. */
export const rows = ['beam+positive', 'vanilla', 'positive', 'positive+strict', 'positive+negative', 'boost'] as const;
export type RowName = (typeof rows)[number];

export function contenderOf(row: string): Contender {
  if (row === 'beam' || row === 'beam+positive') {
    return { program: 'beam', policy: row === 'beam' ? 'vanilla' : 'positive' };
  }
  const policy = policyNames.find((each) => each === row);
  if (policy === undefined) raise('bad-setting', `policy is '${row}'; it must be one of ${rows.join(', ')}`);
  return { program: 'mcts', policy };
}

export interface Parts {
  readonly program: Program;
  readonly rules: Rules;
  readonly scheduler: Scheduler;
}

export function partsOf(
  contender: Contender,
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
