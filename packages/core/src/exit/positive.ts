// Positive early exit (P0 §5.1, PE): a completed path has reached the threshold, so more rollouts are not needed.

import type { Exit } from '../log/end.ts';
import { type Node, saysSomething } from '../tree/node.ts';
import { distinctAnswers } from '../tree/readings/distinct-answers.ts';
import { type ExitRule, readable, type SearchView } from './exit.ts';

export const positive: ExitRule = {
  name: 'positive',
  check: (view) => accepted(view, view.tree.best),
};

/** The same of a question whose answers can be read off a text: a path that says none is not accepted, whatever its score. */
export const positiveSaid: ExitRule = {
  ...positive,
  check(view) {
    const { best } = view.tree;
    if (best === undefined || best.score < view.limits.threshold || saysSomething(best)) return positive.check(view);
    return accepted(view, distinctAnswers(view.tree)[0]);
  },
};

/** The same for a client that wants several: it waits until so many different answers have reached the threshold. */
export function positiveAnswers(count: number): ExitRule {
  return {
    ...positive,
    check(view) {
      const exit = positive.check(view);
      if (exit === undefined) return undefined;
      const { threshold } = view.limits;
      const answers = distinctAnswers(view.tree).filter(({ score }) => score >= threshold).length;
      return answers < count ? undefined : { ...exit, evidence: { ...exit.evidence, answers } };
    },
  };
}

function accepted({ tree, limits: { threshold } }: SearchView, best: Node | undefined): Exit | undefined {
  // Without a verifier a path has no rewards and its score says nothing.
  if (best?.reward === undefined || best.score < threshold) return undefined;
  // The rollout that found it counts, though it may have gone on to a sibling with a higher reward.
  const rollouts = tree.closed.completed + (best.visits === 0 ? 1 : 0);
  const evidence = { score: readable(best.score), threshold, node: best.id, rollouts };
  return { kind: 'accepted', rule: 'positive', evidence };
}
