// Who takes part in a contest: a program under a policy, with a verifier. Everyone gets the exits that it can use, so that
// no row wins by being allowed to stop. Finds by trial how many samples of best-of-n cost what a search costs. Pure.

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
  /** Of best-of-n and self-consistency, where they are to begin with another number. */
  readonly samples?: number;
}

export function contendersOf({ entrants, policies, verifiers, ...sizes }: Entry): Contender[] {
  const several = verifiers.length > 1;
  return entrants.flatMap((entrant) => {
    const program: ProgramName = entrant === 'mcts-lazy' ? 'mcts' : entrant;
    const rollouts = program === 'mcts' || program === 'beam' ? sizes.rollouts : (sizes.samples ?? sizes.rollouts);
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

/** What a number of samples was found to cost, in tokens of both models a question. */
export interface PricedSamples {
  readonly samples: number;
  readonly tokens: number;
}

/** Near enough to call the tokens equal. */
const equalShare = 0.05;
const mostAttempts = 5;
/** Tokens that hardly grow say little about how many samples would be enough. */
const leastPower = 0.2;

/** The attempt whose tokens are nearest to the target. */
export function nearest(target: number, attempts: readonly PricedSamples[]): PricedSamples | undefined {
  const far = ({ tokens }: PricedSamples) => Math.abs(tokens - target);
  return attempts.reduce<PricedSamples | undefined>(
    (best, each) => (best && far(best) <= far(each) ? best : each),
    undefined,
  );
}

/**
 * How many samples to try next so that best-of-n costs the target, from what was tried; undefined when an attempt is near
 * enough or no better one can be had. Tokens grow with samples, but an exit makes that less than in proportion: they are
 * taken to follow a power of the samples, through the two attempts that are nearest.
 */
export function nextSamples(target: number, attempts: readonly PricedSamples[], most: number): number | undefined {
  const best = nearest(target, attempts);
  if (best === undefined || attempts.length >= mostAttempts) return undefined;
  if (Math.abs(best.tokens - target) <= equalShare * target) return undefined;
  const other = nearest(
    target,
    attempts.filter((each) => each !== best),
  );
  const power = other === undefined ? 1 : Math.max(leastPower, powerThrough(best, other));
  const guess = best.samples * (target / Math.max(1, best.tokens)) ** (1 / power);
  const isTried = (samples: number) => attempts.some((each) => each.samples === samples);
  const within = (samples: number) => Math.min(most, Math.max(1, Math.round(samples)));
  // One sample more or less may still be nearer than what the guess comes back to.
  const samples = isTried(within(guess)) ? within(best.samples + Math.sign(target - best.tokens)) : within(guess);
  return isTried(samples) ? undefined : samples;
}

function powerThrough(one: PricedSamples, other: PricedSamples): number {
  return Math.log(one.tokens / other.tokens) / Math.log(one.samples / other.samples);
}
