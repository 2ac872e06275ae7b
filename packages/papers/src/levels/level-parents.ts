// The parents of a level: nodes with the number of draws wanted below them, and the draws that have arrived. Reads nodes only, and is
// pure. In a program that grows in rounds a node has one entry per round, and each entry has its own child indices.

import { isTaken } from '@coppice/core/program';
import { byKey, isExpanding, mayGrow, type Node, type Tree } from '@coppice/core/tree';

/** A node of a level and the number of children wanted below it, at least one; never terminal. */
export interface LevelParent {
  readonly node: Node;
  readonly draws: number;
  /** First child index of these draws; lower ones belong to earlier rounds. */
  readonly from?: number;
}

/** A child and the number of its parent's draws that produced it. */
export interface DrawnChild {
  readonly node: Node;
  readonly count: number;
}

/** Starts each parent's draws at the index after those of the same node in earlier rounds. */
export function withStart(
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

/** Children that this parent's draws produced, in the order of keys; draws of other rounds are not counted. */
export function drawnChildren(parent: LevelParent): DrawnChild[] {
  const counts = new Map<Node, number>();
  for (const index of indicesOf(parent)) {
    const child = parent.node.byIndex?.get(index);
    if (child !== undefined) counts.set(child, (counts.get(child) ?? 0) + 1);
  }
  return Array.from(counts, ([node, count]) => ({ node, count })).sort((a, b) => byKey(a.node, b.node));
}

/** True while the parent awaits children, has none yet, or lost some to a preemption. */
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

/** A strand was closed here before its first draw: the node leaves its level for good. */
function wasPruned(node: Node): boolean {
  return node.visits > 0 && node.children.length === 0 && !isExpanding(node);
}

export function unoccupied(tree: Tree, parents: readonly LevelParent[]): LevelParent[] {
  const occupied = new Set([...tree.strands.values()].map((strand) => strand.node));
  return parents.filter(({ node }) => !occupied.has(node));
}
