// Checks that a child fits into a tree. An event that does not fit is a FaultError with code `bad-event`; the fold checks
// before it changes anything.

import { raise } from '../base/fault.ts';
import type { Growth, NodeId } from './events.ts';
import type { Node } from './node.ts';

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
