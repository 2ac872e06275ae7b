// An open strand: where it stands, and what it waits for there. What these functions change is a strand and its node; only the
// fold (tree.ts) calls them; `leastPromising` reads. An event that does not fit is a FaultError with code `bad-event` and changes nothing.

import { assert } from '../base/assert.ts';
import { raise } from '../base/fault.ts';
import type { Closing, EventOf, StrandId } from './events.ts';
import { hasEnded, type Node } from './node.ts';
import type { Manner, Sampling } from './step.ts';
import { addPending, backUp, mustBeReward, refreshAvailable, uncut } from './upkeep.ts';

export interface Strand {
  readonly id: StrandId;
  readonly start: Node;
  node: Node;
  awaiting: number;
  /** Children that its current expansion has brought, as they were folded; a merged one appears as the node it joined. */
  landed: Node[];
  /** Sampling of its current expansion: part of the keys that are asked for again after a crash. */
  sampling: Sampling | undefined;
  manner: Manner | undefined;
  probing: ProbeDraw | undefined;
  /** Its draw names a model that was not known to be absent: if that engine fails, the search has not. */
  excused: boolean;
}

/** A question to the model at a node: the probe's index, and how it is drawn. */
export type ProbeDraw = Pick<EventOf<'probing'>, 'index' | 'sampling' | 'manner'>;

export function makeStrand(id: StrandId, node: Node): Strand {
  const nothing = { awaiting: 0, landed: [], sampling: undefined, manner: undefined };
  return { id, start: node, node, ...nothing, probing: undefined, excused: false };
}

export function awaitChildren(strand: Strand, node: Node, { indices, sampling, manner }: EventOf<'asked'>): void {
  if (strand.node !== node) raise('bad-event', `strand ${strand.id} is at node ${strand.node.id}, not ${node.id}`);
  if (node.terminal) raise('bad-event', `node ${node.id} is terminal and gets no child`);
  for (const index of indices) {
    const taken = node.byIndex?.has(index) || node.inFlight?.has(index);
    if (taken || !Number.isInteger(index) || index < 0) raise('bad-event', `child ${index} of node ${node.id}`);
  }
  if (strand.awaiting === 0) strand.landed = [];
  strand.sampling = sampling;
  strand.manner = manner;
  node.inFlight ??= new Map();
  for (const index of indices) node.inFlight.set(index, strand.id);
  strand.awaiting += indices.length;
  uncut(node);
  // A strand that grows below a node takes its children as they are.
  if (node.parent !== undefined) uncut(node.parent);
}

export function awaitProbe(strand: Strand, node: Node, { index, sampling, manner }: ProbeDraw): void {
  const isAsked = manner.read ? node.parent !== undefined : !node.terminal;
  const isFree = strand.node === node && isAsked && strand.awaiting === 0 && strand.probing === undefined;
  if (!isFree || node.probes?.has(index) || index < 0) raise('bad-event', `probe ${index} of node ${node.id}`);
  strand.probing = { index, sampling, manner };
}

/** In logs of former versions a strand that waits may go on to a child of its node. */
export function mustBeFree({ id, node, awaiting, probing }: Strand, next: Node): void {
  const waits = (next.parent === node ? 0 : awaiting) + (probing === undefined ? 0 : 1);
  if (waits > 0) raise('bad-event', `strand ${id} waits for ${waits} answers`);
}

export function moveTo(strand: Strand, node: Node): void {
  addPending(strand.node, -1);
  strand.node = node;
  strand.landed = [];
  addPending(node, 1);
}

/** Backs the worth of a closing rollout up along its path. */
export function backUpClosing({ id, node }: Strand, closing: Closing, value?: number): void {
  mustBeReward(value);
  if (closing === 'completed' && !hasEnded(node) && value === undefined) {
    raise('bad-event', `strand ${id} completes at an open node`);
  }
  // A pruned strand counts with the score it had, the most it could still have come to, or with the value that its rule gave it:
  // without a visit, selection would lead the next one to the same place.
  if (closing === 'completed' || closing === 'pruned') backUp(node, value ?? node.score);
  node.pruned ||= closing === 'pruned';
}

/** Takes a closing strand's children out of flight. A preempted expansion stays wanted; a pruned or ended one is given up. */
export function abandonChildren({ id, node }: Strand, closing: Closing): void {
  const { inFlight } = node;
  assert(inFlight !== undefined, 'a strand awaits children that are not in flight');
  for (const [index, owner] of inFlight) if (owner === id) inFlight.delete(index);
  // A tree that grows draw by draw has no cuts: a node without this draw is not full.
  if (closing === 'preempted' && node.fullAt === undefined) node.cut = true;
  refreshAvailable(node);
}

/** The strands that are given up when `count` are preempted: lowest score first, the younger of equals first. */
export function leastPromising(tree: { readonly strands: ReadonlyMap<StrandId, Strand> }, count: number): StrandId[] {
  const strands = [...tree.strands.values()];
  strands.sort((a, b) => a.node.score - b.node.score || b.id - a.id);
  return strands.slice(0, count).map((strand) => strand.id);
}
