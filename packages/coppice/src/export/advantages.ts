// Computes advantages of nodes from the outcomes of the finished paths below them. Formulas:
//   V(n)      = mean outcome of the leaves below n, a leaf that was drawn c times counting c times
//   siblings  = (V(n) − mean V of its siblings) / their standard deviation: GRPO's group (arXiv 2402.03300) made of the children of one
//               node, as TreeRPO does (2506.05183)
//   tree      = ((V(n) − V(root)) + (V(n) − V(parent))) / √leaves below n: TreeRL (2506.11902)
//   group     = of a leaf: (outcome − mean of all leaves of the tree) / their standard deviation: GRPO; intra-tree part of Tree-GRPO (2509.21240)
// Standard deviations are of the population. If all values are equal the advantage is 0: there is nothing to learn. Pure.

import { isPathEnd, type Node, type NodeId } from '@coppice/core/tree';

export interface NodeAdvantages {
  /** Outcome of a leaf's path. */
  readonly outcome: number | undefined;
  /** Missing, like the advantages, if no finished path is below the node. */
  readonly value: number | undefined;
  readonly leaves: number;
  readonly bySiblings: number | undefined;
  readonly byTree: number | undefined;
  readonly byGroup: number | undefined;
}

/** `outcomeOf`: undefined if a leaf's outcome is not known. Parents come before their children in `nodes`. */
export function advantagesOf(
  nodes: readonly Node[],
  outcomeOf: (leaf: Node) => number | undefined,
): Map<NodeId, NodeAdvantages> {
  const outcomes = new Map(nodes.filter(isPathEnd).map((leaf) => [leaf.id, outcomeOf(leaf)]));
  const sums = sumsBelow(nodes, outcomes);
  const worthOf = ({ id }: Node) => meanOf(sums[id]!);
  const leaves = nodes.filter(({ id }) => outcomes.get(id) !== undefined);
  const all = weighted(leaves, ({ id }) => outcomes.get(id));
  const groups = nodes.map(({ children }) => weighted(children, worthOf));
  const standing = (node: Node): NodeAdvantages => {
    const value = worthOf(node);
    const outcome = outcomes.get(node.id);
    const family = node.parent && groups[node.parent.id];
    return {
      outcome,
      value,
      leaves: sums[node.id]!.leaves,
      bySiblings: family && value === undefined ? undefined : family && standardised(value!, family),
      byTree: node.parent && treeAdvantage(value, worthOf(nodes[0]!), worthOf(node.parent), sums[node.id]!.leaves),
      byGroup: outcome === undefined ? undefined : standardised(outcome, all),
    };
  };
  return new Map(nodes.map((node) => [node.id, standing(node)]));
}

interface Sum {
  leaves: number;
  outcome: number;
}

function sumsBelow(nodes: readonly Node[], outcomes: ReadonlyMap<NodeId, number | undefined>): Sum[] {
  const sums = nodes.map((): Sum => ({ leaves: 0, outcome: 0 }));
  for (const { id, count, parent } of nodes.toReversed()) {
    const own = outcomes.get(id);
    if (own !== undefined) sums[id] = { leaves: count, outcome: own * count };
    if (parent === undefined) continue;
    sums[parent.id]!.leaves += sums[id]!.leaves;
    sums[parent.id]!.outcome += sums[id]!.outcome;
  }
  return sums;
}

function meanOf({ leaves, outcome }: Sum): number | undefined {
  return leaves === 0 ? undefined : outcome / leaves;
}

interface Spread {
  readonly mean: number;
  readonly deviation: number;
}

/** Counts nodes of known value as often as they were drawn. */
function weighted(nodes: readonly Node[], worthOf: (node: Node) => number | undefined): Spread {
  const draws = nodes.flatMap((node) => {
    const value = worthOf(node);
    return value === undefined ? [] : [{ value, count: node.count }];
  });
  const total = draws.reduce((sum, { count }) => sum + count, 0);
  const mean = draws.reduce((sum, { value, count }) => sum + value * count, 0) / total;
  const variance = draws.reduce((sum, { value, count }) => sum + (value - mean) ** 2 * count, 0) / total;
  return { mean, deviation: Math.sqrt(variance) };
}

/** A smaller spread is rounding. */
const noSpread = 1e-9;

function standardised(value: number, { mean, deviation }: Spread): number {
  return deviation > noSpread ? (value - mean) / deviation : 0;
}

function treeAdvantage(
  value: number | undefined,
  root: number | undefined,
  parent: number | undefined,
  leaves: number,
): number | undefined {
  if (value === undefined || root === undefined || parent === undefined) return undefined;
  return (value - root + (value - parent)) / Math.sqrt(leaves);
}
