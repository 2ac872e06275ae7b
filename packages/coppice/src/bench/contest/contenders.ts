// The contenders of a contest: a program under a policy. Each gets the exits that it can use, so that no row wins
// by being allowed to stop. Pure.

import type { PolicyName } from '@coppice/core/policy';
import { type ProgramName, programOf } from '@coppice/core/program';
import type { Contender } from './contest.ts';

export const searching: readonly ProgramName[] = ['mcts', 'best-first'];

/** Rows that are no program: what this model uses if nothing is named, and P0's system. */
export const entrantNames = ['default', 'boost'] as const;
const p0System = { program: 'mcts', policy: 'boost' } as const;

interface Entry {
  readonly entrants: readonly (ProgramName | (typeof entrantNames)[number])[];
  /** Program and policy of `default`. */
  readonly usual?: { readonly program: ProgramName; readonly policy: PolicyName };
  /** Policies of `mcts` and `best-first`. */
  readonly policies: readonly PolicyName[];
  readonly rollouts: number;
  /** Rollouts of `best-first`, whose rollouts draw one path each. */
  readonly pathRollouts?: number;
  /** First number of samples of best-of-n and self-consistency. */
  readonly samples?: number;
}

export function contendersOf({ entrants, policies, usual, ...sizes }: Entry): Contender[] {
  return entrants.flatMap((entrant) => {
    const named = entrant === 'boost' ? p0System : entrant === 'default' ? usual : undefined;
    const program = named?.program ?? (entrant as ProgramName);
    const rollouts = rolloutsOf(program, sizes);
    return (named === undefined ? policiesOf(program, policies) : [named.policy]).map((policy): Contender => {
      const name = named === undefined ? titleOf(program, policy, rollouts) : `${entrant}: ${program}`;
      return { name, program, policy, rollouts, usual: entrant === 'default' };
    });
  });
}

function rolloutsOf(
  program: ProgramName,
  { rollouts, pathRollouts, samples }: Pick<Entry, 'rollouts' | 'pathRollouts' | 'samples'>,
) {
  if (program === 'best-first') return pathRollouts ?? rollouts;
  return program === 'mcts' || program === 'beam' ? rollouts : (samples ?? rollouts);
}

/** Only programs that score can stop at an accepted answer. */
function policiesOf(program: ProgramName, policies: readonly PolicyName[]): readonly PolicyName[] {
  if (searching.includes(program)) return policies;
  return [programOf(program).needsVerifier ? 'positive' : 'vanilla'];
}

function titleOf(program: ProgramName, policy: PolicyName, rollouts: number): string {
  if (program === 'best-of-n') return `best-of-${rollouts}`;
  if (program === 'self-consistency') return `self-consistency ${rollouts}`;
  return searching.includes(program) ? `${program} ${policy}` : program;
}
