// The answer with the highest score, at any time: of the completed paths, or, before there is one, of the beginnings.

import { type Node, pathText } from '../tree/node.ts';
import type { Tree } from '../tree/tree.ts';
import type { Answer } from './program.ts';

export function bestAnswer(tree: Tree): Answer | undefined {
  const node = tree.best ?? bestBeginning(tree);
  return node && describe(node);
}

export function describe(node: Node): Answer {
  const { id, answer, score, terminal } = node;
  return { node: id, text: pathText(node), answer, score, complete: terminal };
}

/** The leaf with the highest score; of equals the deepest, then the earliest. */
function bestBeginning(tree: Tree): Node | undefined {
  let best: Node | undefined;
  for (const node of tree.nodes) {
    if (node.depth === 0 || node.children.length > 0) continue;
    if (best === undefined || node.score > best.score || (node.score === best.score && node.depth > best.depth))
      best = node;
  }
  return best;
}
