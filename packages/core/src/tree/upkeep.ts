// The fold's work at every node. It checks that a child fits (an event that does not is a FaultError with code `bad-event`), and keeps up visits
// and values along a path, strands below it, the order of siblings, and where new strands may begin. Only the fold calls these, and
// strand.ts for it.

import { AnswerTally } from '../answer/entropy.ts';
import { raise } from '../base/fault.ts';
import type { Growth, NodeId } from './events.ts';
import type { NodeKey } from './keys.ts';
import { drawsLeft, hasEnded, isExpanding, mayGrow, type Node } from './node.ts';

export function mustBeReward(reward: number | undefined): void {
  if (reward !== undefined && !(reward >= 0 && reward <= 1)) raise('bad-event', `reward ${reward} is not in 0 to 1`);
}

export function mustBeInFlight(parent: Node, index: number): void {
  if (!parent.inFlight?.has(index)) raise('bad-event', `child ${index} of node ${parent.id} is not in flight`);
}

export function mustBeNewChild(id: NodeId, parent: Node, { index, reward, key }: Growth): void {
  mustBeInFlight(parent, index);
  mustBeReward(reward);
  if (!Number.isSafeInteger(key)) raise('bad-event', `node ${id} has no key but ${key}`);
  if (parent.children.some((child) => child.key === key)) raise('bad-event', `node ${id} has a twin: it is merged`);
}

/** P0 appendix A: the trajectory's score is added to every node on it, and each has one more visit. */
export function backUp(leaf: Node, score: number): void {
  for (let at: Node | undefined = leaf; at !== undefined; at = at.parent) {
    at.visits += 1;
    at.value += score;
    at.squares += score * score;
  }
}

/** Siblings stand in the order of their keys, so that the order of arrival changes no sum and no tie. */
export function insertByKey(children: Node[], child: Node): void {
  let at = children.length;
  while (at > 0 && children[at - 1]!.key > child.key) at -= 1;
  children.splice(at, 0, child);
}

export function isBetter(node: Node, other: Node): boolean {
  return node.score > other.score || (node.score === other.score && node.key < other.key);
}

export function addPending(node: Node, change: number): void {
  for (let at: Node | undefined = node; at !== undefined; at = at.parent) at.pending += change;
}

export function uncut(node: Node): void {
  node.cut = false;
  refreshAvailable(node);
}

export function refreshAvailable(node: Node): void {
  for (let at: Node | undefined = node; at !== undefined; at = at.parent) {
    const available = countAvailable(at);
    if (available === at.available) return;
    at.available = available;
  }
}

function countAvailable(node: Node): number {
  const wholly = node.fullAt === undefined;
  if (node.terminal || (wholly && isExpanding(node))) return 0;
  if (wholly && mayGrow(node)) return 1;
  let sum = drawsLeft(node);
  for (const child of node.children) sum += child.available;
  return sum;
}

export function keyed(nodes: readonly Node[]): Map<NodeKey, Node> {
  return new Map(nodes.map((node) => [node.key, node]));
}

export function talliedAnswers(nodes: readonly Node[]): AnswerTally {
  const tally = new AnswerTally();
  for (const node of nodes) if (hasEnded(node)) tally.add(node, node.count);
  return tally;
}
