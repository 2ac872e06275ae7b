// The order in which a program is told outcomes. Children of an expansion are told by index: an early one waits here, so that no tree
// depends on who was faster. Early outcomes are not in the log; after a crash they are asked for again.

import type { ChildOutcome, Outcome } from '../../program/program.ts';
import type { NodeId, StrandId } from '../../tree/events.ts';
import { type DrawKey, drawKey } from '../../tree/keys.ts';
import type { Node } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';
import type { OpenAnswers } from './open-answers.ts';

export class FoldOrder {
  readonly #open: OpenAnswers | undefined;
  readonly #early = new Map<NodeId, Map<number, ChildOutcome>>();
  readonly #orphans = new Map<DrawKey, ChildOutcome & { readonly ok: true }>();

  constructor(open: OpenAnswers | undefined) {
    this.#open = open;
  }

  /** The outcomes that can be told now. A child that no strand waits for has no order, but waits for its parent. */
  *take(tree: Tree, arrived: Outcome): Generator<Outcome> {
    if (arrived.probe) return yield arrived;
    const outcome = placed(tree, arrived);
    if (outcome.below === undefined) yield* this.#inTurn(tree, outcome);
    else if (outcome.ok) this.#orphans.set(drawKey(outcome.below.key, outcome.index, outcome.form), outcome);
    yield* this.#placedOrphans(tree);
  }

  *#placedOrphans(tree: Tree): Generator<Outcome> {
    for (const [draw, orphan] of this.#orphans) {
      const next = placed(tree, orphan);
      if (next.below !== undefined && tree.ghosts.ofNode(next.below.key) === undefined) continue;
      this.#orphans.delete(draw);
      yield next;
    }
  }

  holds(draw: DrawKey): boolean {
    return this.#orphans.has(draw);
  }

  get orphanTokens(): number {
    let tokens = 0;
    for (const { step } of this.#orphans.values()) tokens += step.tokens;
    return tokens;
  }

  #inTurn(tree: Tree, outcome: ChildOutcome): ChildOutcome[] {
    const node = tree.nodes[outcome.node];
    const strand = node?.inFlight?.get(outcome.index);
    if (node === undefined || strand === undefined) return [outcome];
    const early = this.#early.get(node.id) ?? new Map<number, ChildOutcome>();
    this.#early.set(node.id, early.set(outcome.index, outcome));
    this.#open?.prepare(tree, outcome);
    return this.#next(tree, node, strand);
  }

  #next(tree: Tree, node: Node, strand: StrandId): ChildOutcome[] {
    const early = this.#early.get(node.id);
    const next: ChildOutcome[] = [];
    for (const index of awaitedBy(strand, node)) {
      const come = early?.get(index);
      if (come === undefined || this.#open?.prepare(tree, come) === false) break;
      next.push(come);
    }
    return this.#drop(node, next);
  }

  *release(tree: Tree): Generator<Outcome> {
    for (const [id, early] of [...this.#early]) {
      const node = tree.node(id);
      const strands = new Set([...early.keys()].flatMap((index) => node.inFlight?.get(index) ?? []));
      for (const strand of strands) yield* this.#next(tree, node, strand);
    }
    yield* this.#placedOrphans(tree);
  }

  get early(): ChildOutcome[] {
    return Array.from(this.#early.values()).flatMap((outcomes) => [...outcomes.values()]);
  }

  get earlyCount(): number {
    let count = 0;
    for (const outcomes of this.#early.values()) count += outcomes.size;
    return count;
  }

  takeAll(strand: StrandId, node: Node): ChildOutcome[] {
    const early = this.#early.get(node.id);
    if (early === undefined) return [];
    const left = awaitedBy(strand, node).flatMap((index) => early.get(index) ?? []);
    return this.#drop(node, left);
  }

  #drop(node: Node, outcomes: ChildOutcome[]): ChildOutcome[] {
    const early = this.#early.get(node.id);
    for (const { index } of outcomes) early?.delete(index);
    if (early?.size === 0) this.#early.delete(node.id);
    return outcomes;
  }
}

/** Its parent may have become a node since it was asked for. */
function placed(tree: Tree, outcome: ChildOutcome): ChildOutcome {
  if (outcome.below === undefined) return outcome;
  const { below, ...rest } = outcome;
  const parent = tree.nodeOf(below.key);
  return parent === undefined ? outcome : { ...rest, node: parent.id };
}

function awaitedBy(strand: StrandId, { inFlight }: Node): number[] {
  const indices: number[] = [];
  for (const [index, owner] of inFlight ?? []) if (owner === strand) indices.push(index);
  return indices.sort((a, b) => a - b);
}
