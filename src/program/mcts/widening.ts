// Lazy expansion: which node gets the next draw. A node gets one child at a time and another only as it is visited more
// (progressive widening, Coulom 2007; from one draw): a draw is due while its draws are fewer than (Ñ + 1)^power. Twins and
// draws in flight count, failed ones do not; a node is full at its tree's `fullAt`. Pure functions of the statistics.

import { drawsLeft, drawsOf, type Node } from '../../tree/node.ts';
import type { Doomed } from '../program.ts';
import { type Imagined, nothingImagined, openingsOf, type SelectionRule, selectChild } from './wu-puct.ts';

export interface WideningRule extends SelectionRule {
  /** The power of visits that the number of draws follows: 0 draws once and never widens by itself, 1 draws at every visit. */
  readonly widening: number;
}

interface DrawSurroundings {
  /** Rollouts and draws that are only imagined (foresee), by node. */
  readonly imagined?: Imagined;
  readonly drawn?: Imagined;
  /** Nodes at which no draw is to be made. */
  readonly doomed?: Doomed | undefined;
  /** A strand that goes on stands at `from` already: it is not counted as the visit of another. */
  readonly standing?: boolean;
}

/**
 * The node below which the next step is drawn, at `from` or below it: down from `from` by the rule of selection to the first
 * node that is due for a draw. Where nothing below a node can be drawn, it gets its next draw though it is not due; undefined
 * where everything is full, terminal or doomed.
 */
export function selectDraw(from: Node, rule: WideningRule, surroundings: DrawSurroundings = {}): Node | undefined {
  const { imagined = nothingImagined, drawn = nothingImagined, doomed, standing } = surroundings;
  const openings = openingsOf(from, imagined, doomed);
  if (openings(from) <= 0) return undefined;
  const visiting = standing ? new Map([...imagined, [from, (imagined.get(from) ?? 0) - 1]]) : imagined;
  for (let node = from; ; node = selectChild(node, rule, visiting, openings)) {
    const more = drawn.get(node) ?? 0;
    const open = drawsLeft(node) > more && !doomed?.(node);
    const visits = node.visits + node.pending + (visiting.get(node) ?? 0);
    if (open && isDue(drawsOf(node) + more, visits, rule.widening)) return node;
    if (!node.children.some((child) => openings(child) > 0)) return node;
  }
}

/** Whether a node has fewer draws than its visits, those in flight included, call for. */
export function isDue(draws: number, visits: number, widening: number): boolean {
  return draws < (visits + 1) ** widening;
}
