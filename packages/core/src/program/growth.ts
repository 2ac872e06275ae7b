// Folds one outcome into any tree, whatever the program: the part of `tell` that all programs share. Late and double
// outcomes are told apart here, so that a program only sees the strand whose expansion is now complete.

import { nodeKey } from '../tree/keys.ts';
import { isComplete, type Node } from '../tree/node.ts';
import { isAllThought, type Manner, type Sampling, type Step } from '../tree/step.ts';
import type { ProbeDraw, Strand } from '../tree/strand.ts';
import type { Tree } from '../tree/tree.ts';
import type { Ask, ChildOutcome, GrowthLimits, Outcome, ProbeOutcome } from './program.ts';

/**
 * Folds one outcome in. In flight, it becomes a node (or joins an identical sibling, or withers); a second answer to the
 * same key changes nothing; one that no strand waits for is kept as a ghost until the program asks for its key.
 * Gives the strand that has now got all it waited for.
 */
export function foldOutcome(tree: Tree, outcome: Outcome, limits: GrowthLimits): Strand | undefined {
  if (outcome.probe) {
    foldProbe(tree, outcome);
    return undefined;
  }
  const { index, below } = outcome;
  if (below !== undefined) {
    if (outcome.ok) haunt(tree, below, outcome, limits);
    return undefined;
  }
  const parent = tree.node(outcome.node);
  if (parent.byIndex?.has(index)) return undefined;
  const waiting = parent.inFlight?.get(index);
  if (waiting === undefined) {
    if (outcome.ok && !parent.terminal) haunt(tree, parent, outcome, limits);
    return undefined;
  }
  if (outcome.ok) grow(tree, parent, outcome, limits);
  else tree.record({ type: 'withered', parent: parent.id, index, ...failureOf(outcome) });
  const strand = tree.strands.get(waiting);
  return strand?.node === parent && strand.awaiting === 0 ? strand : undefined;
}

/** A ghost of the draw becomes the child: the log holds what it brings. */
function grow(tree: Tree, parent: Node, outcome: Success, limits: GrowthLimits): void {
  const { index, group } = outcome;
  const ghost = tree.ghostFor(parent, index);
  const shoot = ghost ?? shootOf(parent, outcome, limits);
  const at = { parent: parent.id, index };
  const twin = parent.children.find(({ key }) => key === shoot.key);
  if (twin !== undefined) tree.record({ type: 'merged', into: twin.id, ...at, tokens: shoot.step.tokens });
  else if (ghost !== undefined) tree.record({ type: 'adopted', node: tree.nextNode, ...at, group });
  else tree.record({ type: 'grown', node: tree.nextNode, parent: parent.id, ...shoot, group });
}

function haunt(tree: Tree, parent: Node, outcome: Success, limits: GrowthLimits): void {
  const { form } = outcome;
  tree.record({ type: 'ghosted', parentKey: parent.key, form, ...shootOf(parent, outcome, limits) });
}

type Success = ChildOutcome & { ok: true };

function shootOf(parent: Node, outcome: Success, limits: GrowthLimits) {
  const { index, step, reward, feedback, answer } = outcome;
  const terminal = endsPath(parent, step, limits);
  return { key: nodeKey(parent.key, step), index, step, terminal, reward, feedback, answer };
}

/** True where a path ends with this step below the parent. */
export function endsPath(parent: Node, step: Step, limits: GrowthLimits): boolean {
  const { maxDepth, maxPathTokens = Number.POSITIVE_INFINITY } = limits;
  // Thinking is limited in tokens: its steps do not count.
  const steps = parent.depth - parent.thoughtSteps + (isAllThought(step) ? 0 : 1);
  const before = step.turn === undefined ? parent.pathTokens : 0;
  const isFull = before + step.tokens >= maxPathTokens;
  const isLong = steps >= maxDepth || (isFull && !(limits.answersGoOn && isComplete({ step })));
  return isLong || (isComplete({ step }) && !limits.answersGoOn);
}

/** Folds an outcome of a path that grows one draw at a time; true where its strand has gone on. */
export function foldLanded(tree: Tree, outcome: Outcome, limits: GrowthLimits): boolean {
  const strand = foldOutcome(tree, outcome, limits);
  if (strand !== undefined) followLanded(tree, strand);
  return strand !== undefined;
}

/** On to the only child of a path that grows one draw at a time; one whose draw failed is over. */
export function followLanded(tree: Tree, strand: Strand): void {
  const [next] = strand.landed;
  if (next === undefined) tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
  else follow(tree, strand, next);
}

/** The strand goes on to a child; on a terminal one it is complete. */
export function follow(tree: Tree, strand: Strand, child: Node, worth?: Worth): void {
  tree.record({ type: 'moved', strand: strand.id, node: child.id });
  if (child.terminal) complete(tree, strand, worth);
}

/** Worth of a rollout that ends here, where that is not the score of its path. */
export type Worth = (tree: Tree, node: Node) => number;

export function complete(tree: Tree, { id, node }: Strand, worth?: Worth): void {
  tree.record({ type: 'closed', strand: id, closing: 'completed', value: worth?.(tree, node) });
}

/** The best path was finished by a strand that then went on to a sibling: its rollout ends here after all. */
export function completeBest(tree: Tree): void {
  const { best } = tree;
  if (best === undefined || best.visits > 0) return;
  for (const strand of tree.strands.values()) {
    if (strand.awaiting === 0 && strand.node.parent === best.parent) return follow(tree, strand, best);
  }
}

/**
 * The first open strand that can be asked below. A log may end between the events of one outcome; what was left undone
 * is made up for here: a strand on a terminal node completes, one whose children have all come goes on by `advance`.
 * `goesOn`: false for one that is to wait where it stands.
 */
export function readyStrand(
  tree: Tree,
  advance: (tree: Tree, strand: Strand) => void,
  worth?: Worth,
  goesOn: (strand: Strand) => boolean = () => true,
): Strand | undefined {
  for (const strand of tree.strands.values()) {
    if (strand.awaiting > 0 || strand.probing !== undefined) continue;
    if (strand.node.terminal) complete(tree, strand, worth);
    else if (strand.landed.length > 0) advance(tree, strand);
    if (tree.strands.has(strand.id) && !strand.node.terminal && goesOn(strand)) return strand;
  }
  return undefined;
}

export function askBelow(
  tree: Tree,
  { id, node }: Strand,
  indices: readonly number[],
  sampling: Sampling,
  manner?: Manner,
): Ask {
  const form = manner === undefined ? { sampling } : { sampling, manner };
  tree.record({ type: 'asked', strand: id, node: node.id, indices, ...form });
  return { strand: id, node, indices, ...form };
}

/** Asks the model something at the node at which the strand stands; the strand waits for the reply. */
export function askProbe(tree: Tree, { id, node }: Strand, { index, sampling, manner }: ProbeDraw): Ask {
  tree.record({ type: 'probing', strand: id, node: node.id, index, sampling, manner });
  return { strand: id, node, indices: [index], sampling, manner, probe: true };
}

/** A reply that no strand waits for any more changes nothing. */
function foldProbe(tree: Tree, { node, index, reply, fault, model }: ProbeOutcome): void {
  if (tree.probingStrand(tree.node(node), index) === undefined) return;
  tree.record({ type: 'probed', node, index, reply, ...(fault && failureOf({ fault, model })) });
}

function failureOf({ fault: { code }, model }: Pick<ChildOutcome & { readonly ok: false }, 'fault' | 'model'>) {
  return model === undefined ? { code } : { code, model };
}

/** Rollouts that may still be opened; those that were pruned count, those that were preempted or failed do not. */
export function rolloutsLeft({ closed, strands }: Tree, rollouts: number): number {
  return rollouts - closed.completed - closed.pruned - strands.size;
}

export function openAt(tree: Tree, node: Node): Strand {
  const id = tree.nextStrand;
  tree.record({ type: 'opened', strand: id, node: node.id });
  return tree.strand(id);
}

export function isTaken({ byIndex, inFlight }: Node, index: number): boolean {
  return byIndex?.has(index) === true || inFlight?.has(index) === true;
}

/** The child indices from 0 up to `count` that no child has taken. */
export function missingIndices(node: Node, count: number): number[] {
  return Array.from({ length: count }, (_, index) => index).filter((index) => !isTaken(node, index));
}

/** The first `count` child indices that are neither taken nor in flight; a failed child leaves a gap that is filled first. */
export function freeIndices(node: Node, count: number): number[] {
  const indices: number[] = [];
  for (let index = 0; indices.length < count; index += 1) if (!isTaken(node, index)) indices.push(index);
  return indices;
}

export function freeIndex(node: Node): number {
  return freeIndices(node, 1)[0]!;
}
