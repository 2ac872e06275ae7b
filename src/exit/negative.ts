// Negative early exit: the search ends when every leaf that may still grow is futile, its score below the threshold, for
// then no trajectory from this tree can reach it. `strict` is P0 §3.4 and proves that. `selective` (§4.3) leaves out of
// the check every branch whose reward at the first depth is below a cut, because such branches rarely recover: a bet.
// Neither fires before a first path is completed, nor when nothing is left to grow, nor over an accepted answer.

import type { Evidence } from '../log/end.ts';
import { mayGrow, type Node } from '../tree/node.ts';
import type { Tree } from '../tree/tree.ts';
import { requireBound } from './bound.ts';
import { readable } from './evidence.ts';
import type { ExitRule } from './exit.ts';

export const strictNegative: ExitRule = negativeRule('negative-strict', 0);

/** `cut`: first-depth rewards below it take their branch out of the check. 0 leaves out nothing, and is the strict rule. */
export function selectiveNegative(cut: number): ExitRule {
  return negativeRule('negative-selective', cut);
}

function negativeRule(name: string, cut: number): ExitRule {
  return {
    name,
    needsBound: true,
    needsLeaves: true,
    check({ tree, limits: { threshold } }) {
      requireBound(name, tree.aggregation);
      // A futile search should still answer: the first path is let through to its end, P0 being silent about it.
      if (tree.best === undefined || tree.best.score >= threshold) return undefined;
      if (firstViable(tree, threshold, cut) !== undefined) return undefined;
      const evidence = describe(tree, threshold, cut);
      return evidence.leaves === 0 ? undefined : { kind: 'futile', rule: name, evidence };
    },
  };
}

/**
 * Some leaf that may grow and is still good enough. Scores only fall along a path, so nothing below a futile node is
 * looked at, and the walk ends at the first find: a promising search pays for one path, a hopeless one for what is left
 * of it above the threshold.
 */
export function firstViable(tree: Tree, threshold: number, cut: number): Node | undefined {
  const walk: Node[] = [tree.root];
  for (let node = walk.pop(); node !== undefined; node = walk.pop()) {
    if (node.terminal || node.score < threshold || isLeftOut(node, cut)) continue;
    if (mayGrow(node)) return node;
    for (const child of node.children) walk.push(child);
  }
  return undefined;
}

function isLeftOut(node: Node, cut: number): boolean {
  return node.depth === 1 && node.reward !== undefined && node.reward < cut;
}

function describe(tree: Tree, threshold: number, cut: number): Evidence {
  const leaves = tree.nodes.filter(mayGrow);
  const bestLeaf = leaves.reduce((best, leaf) => Math.max(best, leaf.score), 0);
  const bestCompleted = tree.best?.score ?? 0;
  const known = {
    leaves: leaves.length,
    bestLeaf: readable(bestLeaf),
    bestCompleted: readable(bestCompleted),
    threshold,
  };
  if (cut === 0) return known;
  const branchesLeftOut = tree.root.children.filter((child) => isLeftOut(child, cut)).length;
  return { ...known, firstDepthCut: cut, branchesLeftOut };
}
