// Reads off a log what became of every child that was asked for. Shares no code with the fold.

import { isFold, type NodeId, type StrandId, type TreeEvent } from '../../tree/events.ts';

export interface Expansions {
  /** Nodes whose last expansion was preempted before every child was answered, and below which nothing was asked since. */
  readonly cut: Set<NodeId>;
  /** How many expansions were preempted with children landed and children missing. */
  halved: number;
  /** A node whose expansion was cut and below whose children something was asked all the same. */
  passedOver: NodeId | undefined;
}

export function readExpansions(events: Iterable<TreeEvent>): Expansions {
  const read: Expansions = { cut: new Set(), halved: 0, passedOver: undefined };
  const standing = new Map<StrandId, NodeId>();
  const awaited = new Map<string, StrandId>();
  const parents = new Map<NodeId, NodeId>();
  for (const event of events) {
    if (event.type === 'opened' || event.type === 'moved') standing.set(event.strand, event.node);
    else if (event.type === 'asked') {
      read.cut.delete(event.node);
      const parent = parents.get(event.node);
      if (parent !== undefined && read.cut.delete(parent)) read.passedOver ??= parent;
      for (const index of event.indices) awaited.set(`${event.node}/${index}`, event.strand);
    } else if (isFold(event)) {
      awaited.delete(`${event.parent}/${event.index}`);
      if (event.type === 'grown' || event.type === 'adopted') parents.set(event.node, event.parent);
    } else if (event.type === 'closed') {
      // Children of a node from which the strand has moved on stay awaited; no strand waits for them.
      const node = standing.get(event.strand)!;
      const isMissing = ([key, strand]: [string, StrandId]) => strand === event.strand && key.startsWith(`${node}/`);
      const missing = [...awaited].filter(isMissing).map(([key]) => key);
      for (const key of missing) awaited.delete(key);
      if (event.closing !== 'preempted' || missing.length === 0) continue;
      read.cut.add(node);
      if ([...parents.values()].includes(node)) read.halved += 1;
    }
  }
  return read;
}
