// Small trees for tests, grown by the same events as real ones.

import type { Limits, SearchView } from '../../packages/core/src/exit/exit.ts';
import { freeIndices } from '../../packages/core/src/program/growth.ts';
import type { Aggregation } from '../../packages/core/src/tree/aggregate.ts';
import type { StrandId } from '../../packages/core/src/tree/events.ts';
import type { Node } from '../../packages/core/src/tree/node.ts';
import { treeBelief } from '../../packages/core/src/tree/readings/certaindex.ts';
import { greedySampling } from '../../packages/core/src/tree/step.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';

/** A reward alone is a step that may continue; with `end` it ends a path. */
export interface Shoot {
  readonly reward: number;
  readonly end?: boolean;
  readonly answer?: string;
  readonly tokens?: number;
  readonly children?: readonly Shoot[];
}

export function treeOf(aggregation: Aggregation, shoots: readonly Shoot[]): Tree {
  const tree = Tree.plant(aggregation);
  growBelow(tree, tree.root, shoots);
  return tree;
}

/** Adds children and their descendants; their strands are closed as `ended`, which no count includes. */
export function growBelow(tree: Tree, parent: Node, shoots: readonly Shoot[]): Node[] {
  if (shoots.length === 0) return [];
  const indices = freeIndices(parent, shoots.length);
  const strand = askBelow(tree, parent, shoots.length);
  const grown = shoots.map((shoot, at) => landChild(tree, parent, indices[at]!, shoot));
  tree.record({ type: 'closed', strand, closing: 'ended' });
  shoots.forEach((shoot, at) => {
    growBelow(tree, grown[at]!, shoot.children ?? []);
  });
  return grown;
}

/** Leaves `count` more children of a node in flight. */
export function askBelow(tree: Tree, parent: Node, count: number): StrandId {
  const strand = openAt(tree, parent);
  const indices = freeIndices(parent, count);
  tree.record({ type: 'asked', strand, node: parent.id, indices, sampling: greedySampling });
  return strand;
}

export function openAt(tree: Tree, node: Node): StrandId {
  const strand = tree.nextStrand;
  tree.record({ type: 'opened', strand, node: node.id });
  return strand;
}

/** Completes one rollout at a terminal node. */
export function complete(tree: Tree, node: Node): void {
  tree.record({ type: 'closed', strand: openAt(tree, node), closing: 'completed' });
}

export function viewOf(tree: Tree, limits: Partial<Limits> = {}, nowMs = 0): SearchView {
  const belief = treeBelief(tree);
  return { tree, belief, limits: { threshold: 0.65, rollouts: 16, ...limits }, nowMs, arrivalMs: 0, admittedMs: 0 };
}

/** Lets a requested child arrive. Its number is its key, so siblings keep the order in which they are written. */
export function landChild(tree: Tree, parent: Node, index: number, shoot: Shoot): Node {
  const { reward, end = false, answer, tokens = 10 } = shoot;
  const step = { text: `${parent.id}/${index} `, tokens, meanLogprob: -0.1, end: end ? 'eos' : 'delimiter' } as const;
  const place = { node: tree.nextNode, key: tree.nextNode, parent: parent.id, index };
  const known = {
    type: 'grown',
    ...place,
    step,
    reward,
    terminal: end,
  } as const;
  tree.record(answer === undefined ? known : { ...known, answer });
  return tree.nodes.at(-1)!;
}
