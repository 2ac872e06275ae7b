// The clairvoyant bound: the capacity of a scheduler that knew, while a search runs, how it will end. Each question is searched
// serially under the positive exit. That search counts up to the rollout at which its final answer first leads for good, or if
// the final answer is wrong, up to the first completed rollout. Capacity is the rate at which saturated `positive` computes tokens
// of both models, over the mean of the counted tokens. No policy can reach it; reports give each policy's share of it.

import { mean } from '@coppice/core/base';
import type { ExitRule, Program, SearchView } from 'coppice';

/** The state of a search when another rollout was complete, or a better path found. */
export interface RolloutStanding {
  /** Those that have ended: the one that was accepted just now is not among them. */
  readonly rollouts: number;
  /** Whether the answer that leads is the right one. */
  readonly right: boolean;
  /** Computed so far, by generator and reward model. */
  readonly tokens: number;
}

interface StandingFacts {
  readonly program: Pick<Program, 'answer'>;
  readonly isRight: (answer: string | undefined) => boolean;
  readonly promptTokens: number;
  readonly verifierReuses: boolean;
}

/** A rule that ends nothing: it records the state of the search whenever it is checked. */
export function watchingRule(
  { program, isRight, promptTokens, verifierReuses }: StandingFacts,
  seen: RolloutStanding[],
): ExitRule {
  return {
    name: 'watch',
    check(view: SearchView) {
      const { tree } = view;
      if (tree.best === undefined) return undefined;
      const rollouts = tree.closed.completed + tree.closed.pruned;
      if (seen.at(-1)?.rollouts === rollouts) seen.pop();
      const scored = verifierReuses
        ? promptTokens + tree.tokens
        : tree.nodes.reduce((sum, { pathTokens }) => sum + promptTokens + pathTokens, -promptTokens);
      const answer = program.answer(tree);
      const right = answer?.complete === true && isRight(answer.answer);
      seen.push({ rollouts, right, tokens: tree.tokens + scored });
      return undefined;
    },
  };
}

/** Tokens at which a scheduler that knows the end would have stopped; undefined if no path was completed. */
export function clairvoyantTokens(seen: readonly RolloutStanding[]): number | undefined {
  const last = seen.at(-1);
  if (last === undefined) return undefined;
  if (!last.right) return (seen.find(({ rollouts }) => rollouts > 0) ?? last).tokens;
  const wrongUntil = seen.findLastIndex(({ right }) => !right);
  return seen[wrongUntil + 1]!.tokens;
}

interface SaturatedRun {
  readonly saturatedTokensPerSecond: number | undefined;
  readonly saturatedVerifierTokensPerSecond: number | undefined;
  /** Of every request, where the run was watched. */
  readonly standings?: readonly (readonly RolloutStanding[])[];
}

/** Requests per second of such a scheduler; undefined if the run was not saturated or not watched. */
export function clairvoyantCapacity(positive: SaturatedRun): number | undefined {
  const { saturatedTokensPerSecond: generated, saturatedVerifierTokensPerSecond: scored, standings } = positive;
  const tokens = (standings ?? []).flatMap((seen) => clairvoyantTokens(seen) ?? []);
  if (generated === undefined || scored === undefined || tokens.length === 0) return undefined;
  return (generated + scored) / mean(tokens);
}
