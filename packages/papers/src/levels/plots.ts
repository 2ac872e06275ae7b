// A plot: a node of a level with the draws that are wanted below it, and how far they have come. Pure readings of a node; where a
// program grows in rounds, a node has a plot in each, and every plot has child indices of its own.

import { isTaken } from '@coppice/core/program';
import { byKey, isExpanding, mayGrow, type Node, type Tree } from '@coppice/core/tree';
/** A node of a level, with the number of children wanted below it; never terminal, at least one child. */
export interface Planting {
  readonly node: Node;
  readonly draws: number;
  /** First child index of these draws, behind those of earlier rounds. */
  readonly from?: number;
}

/** A child with the number of a plot's draws that came out as it. */
export interface Offshoot {
  readonly node: Node;
  readonly count: number;
}

/** Each behind the draws that its node has had in earlier levels, which are of earlier rounds. */
export function behind(
  plots: readonly Planting[],
  levels: readonly { readonly plots: readonly Planting[] }[],
): Planting[] {
  const had = new Map<Node, number>();
  for (const { plots: before } of levels)
    for (const { node, draws } of before) had.set(node, (had.get(node) ?? 0) + draws);
  return plots.map(({ node, draws }) => ({ node, draws, from: had.get(node) ?? 0 }));
}

export function indicesOf({ draws, from = 0 }: Planting): number[] {
  return Array.from({ length: draws }, (_, at) => from + at);
}

export function landedIn(plot: Planting): number {
  return indicesOf(plot).filter((index) => plot.node.byIndex?.has(index)).length;
}

/** Nodes that a plot's draws came out as, in the order of keys; draws of other rounds are not counted. */
export function offshootsOf(plot: Planting): Offshoot[] {
  const counts = new Map<Node, number>();
  for (const index of indicesOf(plot)) {
    const child = plot.node.byIndex?.get(index);
    if (child !== undefined) counts.set(child, (counts.get(child) ?? 0) + 1);
  }
  return Array.from(counts, ([node, count]) => ({ node, count })).sort((a, b) => byKey(a.node, b.node));
}

/** It waits for children, has none of those that it was to get, or lost some of them to another search. */
export function isGrowing(plot: Planting): boolean {
  const { node, from } = plot;
  if (from === undefined) return mayGrow(node) && !wasPruned(node);
  if (node.terminal || node.pruned) return false;
  const isCut = node.cut && indicesOf(plot).some((index) => !isTaken(node, index));
  return isAwaited(plot) || isCut || landedIn(plot) === 0;
}

export function isAwaited(plot: Planting): boolean {
  if (plot.from === undefined) return isExpanding(plot.node);
  return indicesOf(plot).some((index) => plot.node.inFlight?.has(index));
}

/** A strand was ended here before anything was asked: the node leaves its level, and is not taken up again. */
function wasPruned(node: Node): boolean {
  return node.visits > 0 && node.children.length === 0 && !isExpanding(node);
}

export function unoccupied(tree: Tree, plots: readonly Planting[]): Planting[] {
  const occupied = new Set([...tree.strands.values()].map((strand) => strand.node));
  return plots.filter(({ node }) => !occupied.has(node));
}
