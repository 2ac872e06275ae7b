// Likelihood of a path by the model itself: the mean log probability of its tokens.

import type { Node } from '../tree/node.ts';

export function meanLogprobOf(node: Node): number {
  let sum = 0;
  for (let at: Node | undefined = node; at?.step !== undefined; at = at.parent)
    sum += at.step.meanLogprob * at.step.tokens;
  return node.pathTokens === 0 ? 0 : sum / node.pathTokens;
}
