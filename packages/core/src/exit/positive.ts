// Positive early exit (P0 §5.1, PE): a completed path has reached the threshold, so more rollouts are not needed. A search for several answers
// waits until so many different ones have; where answers are marked, a path that says none is not accepted, whatever its score.

import type { Exit } from '../log/end.ts';
import { type Node, saysSomething } from '../tree/node.ts';
import { distinctAnswers } from '../tree/readings/distinct-answers.ts';
import { type ExitRule, readable, type SearchView } from './exit.ts';

export const positive: ExitRule = {
  name: 'positive',
  check(view) {
    const { tree, limits } = view;
    const { threshold, answers: wanted = 1, marked } = limits;
    const { best } = tree;
    if (wanted > 1) {
      const exit = accepted(view, best);
      const answers = exit === undefined ? 0 : distinctAnswers(tree).filter(({ score }) => score >= threshold).length;
      return exit === undefined || answers < wanted ? undefined : { ...exit, evidence: { ...exit.evidence, answers } };
    }
    const isUnsaid = marked && best !== undefined && best.score >= threshold && !saysSomething(best);
    return accepted(view, isUnsaid ? distinctAnswers(tree)[0] : best);
  },
};

function accepted({ tree, limits: { threshold } }: SearchView, best: Node | undefined): Exit | undefined {
  // Without a verifier a path has no rewards and its score says nothing.
  if (best?.reward === undefined || best.score < threshold) return undefined;
  // The rollout that found it counts, though it may have gone on to a sibling with a higher reward.
  const rollouts = tree.closed.completed + (best.visits === 0 ? 1 : 0);
  const evidence = { score: readable(best.score), threshold, node: best.id, rollouts };
  return { kind: 'accepted', rule: 'positive', evidence };
}
