// Who takes part in a contest: a program under a policy, with a verifier. Each gets the exits that it can use, so that
// no row wins by being allowed to stop. Pure.

import { type PolicyName, partsOf } from '../../policy/policies.ts';
import { type ProgramName, programNames, programOf } from '../../program/registry/programs.ts';
import type { Contender, VerifierMode } from './contest.ts';

/** Rows by name: the programs, and MCTS with lazy expansion. */
export const entrantNames = [...programNames, 'mcts-lazy'] as const;
export type EntrantName = (typeof entrantNames)[number];

interface Entry {
  readonly entrants: readonly EntrantName[];
  /** Of `mcts` and `mcts-lazy`. */
  readonly policies: readonly PolicyName[];
  readonly verifiers: readonly VerifierMode[];
  readonly rollouts: number;
  /** Of `mcts-lazy`, whose rollouts draw one path each, where it is to get another number. */
  readonly lazyRollouts?: number;
  /** Of best-of-n and self-consistency, where they are to begin with another number. */
  readonly samples?: number;
}

export function contendersOf({ entrants, policies, verifiers, ...sizes }: Entry): Contender[] {
  const several = verifiers.length > 1;
  return entrants.flatMap((entrant) => {
    const program: ProgramName = entrant === 'mcts-lazy' ? 'mcts' : entrant;
    const rollouts = rolloutsOf(entrant, sizes);
    const modes = programOf(program).needsVerifier ? verifiers : verifiers.slice(0, 1);
    return modes.flatMap((verifier) =>
      policiesOf(program, policies).map((policy): Contender => {
        const scored = several && programOf(program).needsVerifier ? `, ${verifier}` : '';
        const name = `${titleOf(entrant, policy, rollouts)}${scored}`;
        const expansion = program === 'mcts' ? ({ expansion: entrant === 'mcts' ? 'whole' : 'lazy' } as const) : {};
        return { name, program, policy, verifier, rollouts, ...expansion };
      }),
    );
  });
}

function rolloutsOf(
  entrant: EntrantName,
  { rollouts, lazyRollouts, samples }: Omit<Entry, 'entrants' | 'policies' | 'verifiers'>,
) {
  if (entrant === 'mcts-lazy') return lazyRollouts ?? rollouts;
  return entrant === 'mcts' || entrant === 'beam' ? rollouts : (samples ?? rollouts);
}

/** Each search under the policy, then once more without each of its parts. */
export function ablationOf(policy: PolicyName, contenders: readonly Contender[]): Contender[] {
  const own = contenders.filter((each) => each.policy === policy);
  return own.flatMap((each) => [
    each,
    ...partsOf(policy).map(({ part, off }) => ({
      ...each,
      name: `${each.name} ${part}=${off}`,
      parts: { [part]: off },
    })),
  ]);
}

/** Programs that score can stop at an accepted answer; those that do not have nothing to accept. */
function policiesOf(program: ProgramName, policies: readonly PolicyName[]): readonly PolicyName[] {
  if (program === 'mcts') return policies;
  return [programOf(program).needsVerifier ? 'positive' : 'vanilla'];
}

function titleOf(entrant: EntrantName, policy: PolicyName, rollouts: number): string {
  if (entrant === 'best-of-n') return `best-of-${rollouts}`;
  if (entrant === 'self-consistency') return `self-consistency ${rollouts}`;
  return entrant === 'greedy' || entrant === 'beam' ? entrant : `${entrant} ${policy}`;
}
