// Effects of prune rules on a search. A rule judges nodes; from that follow the open strands that are to end, the leaves that are not to be
// taken up, so that no strand is opened where it would be ended at once, and, of rules that spend, the rollouts that end where they begin.
// Reads only.

import type { Evidence } from '../log/end.ts';
import type { StrandId } from '../tree/events.ts';
import type { Node } from '../tree/node.ts';
import type { Judge, PruneRule, SearchView } from './exit.ts';

export interface Pruning {
  readonly strand: StrandId;
  readonly rule: string;
  readonly evidence: Evidence;
  /** Value that its rollout counts for; its score by default. */
  readonly value?: number;
}

/** The open strands that a rule ends. A strand at a terminal node is complete, and only waits to be closed. */
export function pruningsOf(rule: PruneRule, view: SearchView): Pruning[] {
  const judge = rule.judge(view);
  if (judge === undefined) return [];
  const prunings: Pruning[] = [];
  for (const { id, node } of view.tree.strands.values()) {
    const evidence = node.terminal ? undefined : judge(node);
    if (evidence !== undefined) prunings.push({ strand: id, ...pruningBy(rule, evidence) });
  }
  return prunings;
}

/** A rollout that is spent brings nothing: what could not win says no good of where it came from. */
function pruningBy({ name, spends }: PruneRule, evidence: Evidence): Omit<Pruning, 'strand'> {
  return spends ? { rule: name, evidence, value: 0 } : { rule: name, evidence };
}

/**
 * Finds the nodes where no strand is to be opened; undefined where every node may be taken up. Rules that spend pass over what has scored 0
 * alone; with `all`, whatever they would end: no token goes there, and so no guess.
 */
export function doomedBy(
  rules: readonly PruneRule[],
  view: SearchView,
  all = false,
): ((node: Node) => boolean) | undefined {
  const judges = rules.flatMap(({ spends, judge }): Judge[] => {
    const found = judge(view);
    if (found === undefined) return [];
    return [spends && !all ? (node) => (node.score > 0 ? undefined : found(node)) : found];
  });
  if (judges.length === 0) return undefined;
  return (node) => judges.some((judge) => judge(node) !== undefined);
}

/** Why a rollout that has just come to this node is spent there, before it asks for anything. */
export function spentAt(
  rules: readonly PruneRule[],
  view: SearchView,
  node: Node,
): Omit<Pruning, 'strand'> | undefined {
  for (const rule of rules) {
    const evidence = rule.spends ? rule.judge(view)?.(node) : undefined;
    if (evidence !== undefined) return pruningBy(rule, evidence);
  }
  return undefined;
}
