// The deterministic prune rule (P0 §4.1): an open strand ends once its score can no longer reach the target. Target
// `threshold` is the paper's; it also ends strands that could still have improved an answer below the threshold.
// Target `best` is branch and bound: only strands that cannot beat the best completed path, so the answer at hand never
// gets worse by it; their rollouts are spent, as a search without the rule would spend them. Before a first path is completed both
// end only what has scored 0: a checker has seen a false line, and no answer that it leads to is worth its tokens. Everything else is let
// through, so that a search has an answer.

import { requireBound } from './bound.ts';
import { definePrune, type PrunePart, type PruneRule, readable } from './exit.ts';

export const boundTargets = ['threshold', 'best'] as const;
export type BoundTarget = (typeof boundTargets)[number];

export function pruneBound(target: BoundTarget): PruneRule {
  const name = `bound-${target}`;
  return {
    name,
    needsBound: true,
    spends: target === 'best',
    judge({ tree, limits }) {
      requireBound(name, tree.aggregation);
      const { best } = tree;
      // Without a verifier a path has no rewards and its score says nothing.
      if (best !== undefined && best.reward === undefined) return undefined;
      const hopeless = best?.score ?? 0;
      // The earliest of equals stays the best, so a strand that can only draw level is no use either.
      const byBest = target === 'best' || best === undefined;
      const cannot = (score: number) => (byBest ? score <= hopeless : score < limits.threshold);
      const goal = byBest ? hopeless : limits.threshold;
      return ({ score }) => (cannot(score) ? { score: readable(score), target: readable(goal) } : undefined);
    },
  };
}

function bound(target: BoundTarget, summary: string): PrunePart {
  return definePrune({
    name: `bound-${target}`,
    summary,
    when: ({ boundPrune }) => boundPrune === target,
    make: () => pruneBound(target),
  });
}

/** The prune rules that there are, in the order in which they are read. */
export const pruneParts: readonly PrunePart[] = [
  bound('threshold', 'the path cannot reach the threshold any more (P0 §4.1)'),
  bound('best', 'the path cannot beat the best completed one: branch and bound'),
];
