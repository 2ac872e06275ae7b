// Trees of any shape for property tests, grown by a list of moves through the tree's own events: expansions arrive,
// fail or stay in flight; strands continue, complete, or are given up.

import fc from 'fast-check';
import { drawsLeft, isExpanding, type Node } from '../../packages/core/src/tree/node.ts';
import type { Strand } from '../../packages/core/src/tree/strand.ts';
import type { Tree } from '../../packages/core/src/tree/tree.ts';
import { askBelow, landChild } from './trees.ts';

export type Fate = 'lands' | 'ends' | 'withers' | 'stays';

export interface Move {
  readonly kind: 'expand' | 'settle' | 'give-up';
  /** Chooses among the nodes or strands that allow this move; wraps around. */
  readonly pick: number;
  readonly children: readonly { readonly fate: Fate; readonly reward: number }[];
}

const anyReward = fc.oneof(
  fc.constantFrom(0, 0.1, 0.5, 0.65, 0.8, 0.9, 0.99, 1),
  fc.double({ min: 0, max: 1, noNaN: true }),
);

export function anyMoves(maxLength: number): fc.Arbitrary<Move[]> {
  const fate = fc.constantFrom<Fate>('lands', 'lands', 'ends', 'withers', 'stays');
  const move = fc.record({
    kind: fc.constantFrom<Move['kind']>('expand', 'expand', 'expand', 'settle', 'give-up'),
    pick: fc.nat(),
    children: fc.array(fc.record({ fate, reward: anyReward }), { minLength: 1, maxLength: 4 }),
  });
  return fc.array(move, { maxLength });
}

export function play(tree: Tree, moves: readonly Move[]): void {
  for (const move of moves) {
    if (move.kind === 'expand') expand(tree, move);
    else if (move.kind === 'settle') settle(tree, move);
    else giveUp(tree, move);
  }
}

/**
 * Nodes that a program may expand: those without children, or with an expansion that was cut, that await none. If the tree
 * grows draw by draw, those that are not full.
 */
function leaves(tree: Tree): Node[] {
  if (tree.root.fullAt !== undefined) return tree.nodes.filter((node) => drawsLeft(node) > 0);
  const unfinished = (node: Node) => node.children.length === 0 || node.cut;
  return tree.nodes.filter((node) => !node.terminal && unfinished(node) && !isExpanding(node));
}

function expand(tree: Tree, move: Move): void {
  const leaf = choose(leaves(tree), move.pick);
  if (leaf === undefined) return;
  const count = tree.root.fullAt === undefined ? move.children.length : 1;
  const strand = askBelow(tree, leaf, count);
  answer(tree, tree.strand(strand), move);
}

function settle(tree: Tree, move: Move): void {
  const waiting = [...tree.strands.values()].filter(({ awaiting }) => awaiting > 0);
  const strand = choose(waiting, move.pick);
  if (strand !== undefined) answer(tree, strand, move);
}

function answer(tree: Tree, strand: Strand, { children }: Move): void {
  const { node } = strand;
  const indices = [...(node.inFlight ?? [])].filter(([, owner]) => owner === strand.id).map(([index]) => index);
  indices.forEach((index, at) => {
    const { fate, reward } = children[at % children.length]!;
    if (fate === 'withers') tree.record({ type: 'withered', parent: node.id, index, code: 'internal' });
    else if (fate !== 'stays') landChild(tree, node, index, { reward, end: fate === 'ends' });
  });
  if (strand.awaiting === 0) goOn(tree, strand);
}

/** Moves like a rollout: to the best child, and closed at the end of a path. */
function goOn(tree: Tree, strand: Strand): void {
  const best = strand.landed.reduce<Node | undefined>(
    (a, b) => (a === undefined || b.score > a.score ? b : a),
    undefined,
  );
  if (best !== undefined) tree.record({ type: 'moved', strand: strand.id, node: best.id });
  const closing = best?.terminal ? 'completed' : 'ended';
  tree.record({ type: 'closed', strand: strand.id, closing });
}

function giveUp(tree: Tree, move: Move): void {
  const strand = choose([...tree.strands.values()], move.pick);
  if (strand !== undefined) tree.record({ type: 'closed', strand: strand.id, closing: 'preempted' });
}

function choose<Item>(items: readonly Item[], pick: number): Item | undefined {
  return items[pick % items.length];
}
