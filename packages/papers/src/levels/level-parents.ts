// The parents of a level: nodes with the number of draws that are wanted below them, and how far those have come. Pure readings of a node. A
// program that grows in rounds has an entry for a node in each of them, and every entry has child indices of its own.

import { isTaken } from '@coppice/core/program';
import { byKey, isExpanding, mayGrow, type Node, type Tree } from '@coppice/core/tree';

/** A node of a level, with the number of children wanted below it; never terminal, at least one child. */
export interface LevelParent {
  readonly node: Node;
  readonly draws: number;
  /** First child index of these draws, behind those of earlier rounds. */
  readonly from?: number;
}

/** A child with the number of a parent's draws that came out as it. */
export interface DrawnChild {
  readonly node: Node;
  readonly count: number;
}

/** Each behind the draws that its node has had in earlier levels, which are of earlier rounds. */
export function behind(
  parents: readonly LevelParent[],
  levels: readonly { readonly parents: readonly LevelParent[] }[],
): LevelParent[] {
  const had = new Map<Node, number>();
  for (const { parents: before } of levels)
    for (const { node, draws } of before) had.set(node, (had.get(node) ?? 0) + draws);
  return parents.map(({ node, draws }) => ({ node, draws, from: had.get(node) ?? 0 }));
}

export function indicesOf({ draws, from = 0 }: LevelParent): number[] {
  return Array.from({ length: draws }, (_, at) => from + at);
}

export function landedIn(parent: LevelParent): number {
  return indicesOf(parent).filter((index) => parent.node.byIndex?.has(index)).length;
}

/** Nodes that a parent's draws came out as, in the order of keys; draws of other rounds are not counted. */
export function drawnChildren(parent: LevelParent): DrawnChild[] {
  const counts = new Map<Node, number>();
  for (const index of indicesOf(parent)) {
    const child = parent.node.byIndex?.get(index);
    if (child !== undefined) counts.set(child, (counts.get(child) ?? 0) + 1);
  }
  return Array.from(counts, ([node, count]) => ({ node, count })).sort((a, b) => byKey(a.node, b.node));
}

/** It waits for children, has none of those that it was to get, or lost some of them to another search. */
export function isGrowing(parent: LevelParent): boolean {
  const { node, from } = parent;
  if (from === undefined) return mayGrow(node) && !wasPruned(node);
  if (node.terminal || node.pruned) return false;
  const isCut = node.cut && indicesOf(parent).some((index) => !isTaken(node, index));
  return isAwaited(parent) || isCut || landedIn(parent) === 0;
}

export function isAwaited(parent: LevelParent): boolean {
  if (parent.from === undefined) return isExpanding(parent.node);
  return indicesOf(parent).some((index) => parent.node.inFlight?.has(index));
}

/** A strand was ended here before anything was asked: the node leaves its level, and is not taken up again. */
function wasPruned(node: Node): boolean {
  return node.visits > 0 && node.children.length === 0 && !isExpanding(node);
}

export function unoccupied(tree: Tree, parents: readonly LevelParent[]): LevelParent[] {
  const occupied = new Set([...tree.strands.values()].map((strand) => strand.node));
  return parents.filter(({ node }) => !occupied.has(node));
}
