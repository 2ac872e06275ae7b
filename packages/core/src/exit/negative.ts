// Negative early exit: the search ends when every leaf that may still grow is futile, its score below the threshold, for
// then no trajectory from this tree can reach it. `strict` is P0 §3.4 and proves that. `selective` (§4.3) leaves out of
// the check every branch whose reward at the first depth is below a cut, because such branches rarely recover: a bet. It
// needs a branch that it did look at: where all would be left out, none is, and the check is the strict one. Where a tree
// grows draw by draw, every node that is not full is such a leaf. Neither fires before a first path is completed or pruned, nor while the strand that was opened first is under way, nor when nothing is left to grow, nor over an accepted answer.

import type { Evidence } from '../log/end.ts';
import { mayGrow, type Node } from '../tree/node.ts';
import type { Tree } from '../tree/tree.ts';
import { requireBound } from './bound.ts';
import { type ExitRule, readable } from './exit.ts';

export const strictNegative: ExitRule = negativeRule('negative-strict', 0);

/**
 * `share`: how far the cut lies on the way from the threshold to 1. A reward below the threshold is futile by itself, so a cut
 * says something only above it: 0 leaves out nothing that counts, and is the strict rule; 1 leaves out all but full rewards.
 */
export function selectiveNegative(share: number): ExitRule {
  return negativeRule('negative-selective', share);
}

export function firstDepthCut(threshold: number, share: number): number {
  return share === 0 ? 0 : threshold + share * (1 - threshold);
}

/** The one that follows the best step each time; of many side by side a worse one may be whole before it. */
const firstStrand = 0;

function negativeRule(name: string, share: number): ExitRule {
  return {
    name,
    needsBound: true,
    needsLeaves: true,
    check({ tree, limits: { threshold } }) {
      requireBound(name, tree.aggregation);
      // A futile search should still answer: the first path is let through to its end, P0 being silent about it. Where it was
      // pruned there is none to wait for.
      const isWaiting = tree.strands.has(firstStrand) || (tree.best === undefined && tree.closed.pruned === 0);
      if (isWaiting || (tree.best !== undefined && tree.best.score >= threshold)) return undefined;
      const cut = effectiveCut(tree, firstDepthCut(threshold, share));
      if (firstViable(tree, threshold, cut) !== undefined) return undefined;
      const evidence = describe(tree, threshold, cut);
      return evidence.leaves === 0 ? undefined : { kind: 'futile', rule: name, evidence };
    },
  };
}

/** The cut, or 0 where it would leave out every branch: a check of nothing proves nothing. */
function effectiveCut(tree: Tree, cut: number): number {
  return tree.root.children.some((child) => !isLeftOut(child, cut)) ? cut : 0;
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
  const scores = { bestLeaf: readable(bestLeaf), bestCompleted: readable(bestCompleted) };
  const known = { leaves: leaves.length, ...scores, threshold };
  if (cut === 0) return known;
  const branchesLeftOut = tree.root.children.filter((child) => isLeftOut(child, cut)).length;
  return { ...known, firstDepthCut: readable(cut), branchesLeftOut };
}
