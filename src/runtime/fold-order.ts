// The order in which a program is told what has come. Within an expansion children are told in the order of their index: one
// that comes early waits here for those before it, so that no tree depends on who was faster. What waits is not in the
// log: after a crash it is asked for again under the same keys. Knows nothing of budgets, rules or time.

import type { Outcome } from '../program/program.ts';
import type { NodeId, StrandId } from '../tree/events.ts';
import type { Node } from '../tree/node.ts';
import type { Tree } from '../tree/tree.ts';

export class FoldOrder {
  readonly #early = new Map<NodeId, Map<number, Outcome>>();

  /** What can be told now that this outcome has come, in order. A child that no strand waits for has no order to keep. */
  take(tree: Tree, outcome: Outcome): Outcome[] {
    const node = tree.nodes[outcome.node];
    const strand = node?.inFlight?.get(outcome.index);
    if (node === undefined || strand === undefined) return [outcome];
    const early = this.#early.get(node.id) ?? new Map<number, Outcome>();
    this.#early.set(node.id, early.set(outcome.index, outcome));
    const next: Outcome[] = [];
    for (const index of awaitedBy(strand, node)) {
      const come = early.get(index);
      if (come === undefined) break;
      next.push(come);
    }
    return this.#drop(node, next);
  }

  /** What has come early for a strand that waits for it no longer. */
  takeAll(strand: StrandId, node: Node): Outcome[] {
    const early = this.#early.get(node.id);
    if (early === undefined) return [];
    const left = awaitedBy(strand, node).flatMap((index) => early.get(index) ?? []);
    return this.#drop(node, left);
  }

  #drop(node: Node, outcomes: Outcome[]): Outcome[] {
    const early = this.#early.get(node.id);
    for (const { index } of outcomes) early?.delete(index);
    if (early?.size === 0) this.#early.delete(node.id);
    return outcomes;
  }
}

function awaitedBy(strand: StrandId, { inFlight }: Node): number[] {
  const indices: number[] = [];
  for (const [index, owner] of inFlight ?? []) if (owner === strand) indices.push(index);
  return indices.sort((a, b) => a - b);
}
