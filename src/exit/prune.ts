// What prune rules do to a search. A rule judges nodes; from that follow both the open strands that are to end and
// the leaves that are not to be taken up, so that no strand is opened where it would be ended at once. Reads only.

import type { Evidence } from '../log/end.ts';
import type { StrandId } from '../tree/events.ts';
import type { Node } from '../tree/node.ts';
import type { PruneRule, SearchView } from './exit.ts';

export interface Pruning {
  readonly strand: StrandId;
  readonly rule: string;
  readonly evidence: Evidence;
}

/** The open strands that a rule ends. A strand at a terminal node is complete, and only waits to be closed. */
export function pruningsOf(rule: PruneRule, view: SearchView): Pruning[] {
  const judge = rule.judge(view);
  if (judge === undefined) return [];
  const prunings: Pruning[] = [];
  for (const { id, node, awaiting } of view.tree.strands.values()) {
    if (rule.keepsLeaves && awaiting > 0) continue;
    const evidence = node.terminal ? undefined : judge(node);
    if (evidence !== undefined) prunings.push({ strand: id, rule: rule.name, evidence });
  }
  return prunings;
}

/** Whether some rule would end a strand on this node at once; undefined where no rule ends anything. */
export function doomedBy(rules: readonly PruneRule[], view: SearchView): ((node: Node) => boolean) | undefined {
  const judges = rules.flatMap((rule) => (rule.keepsLeaves ? [] : (rule.judge(view) ?? [])));
  if (judges.length === 0) return undefined;
  return (node) => judges.some((judge) => judge(node) !== undefined);
}
