// What a search will ask for next, found by running its program ahead on a copy of the tree: what has come early and what is
// there as a ghost is answered, with its reward, and the program goes on from there (P3, Algorithm 1); what nobody has grown
// yet is what can be speculated on. The tree itself is never touched, so no speculation can change what a search does.

import { fault } from '../base/fault.ts';
import type { NodeId } from '../tree/events.ts';
import { type DrawKey, drawKey, formKey } from '../tree/keys.ts';
import type { Tree } from '../tree/tree.ts';
import type { Ask, Doomed, Expansion, Outcome, Program } from './program.ts';

export interface Outlook {
  /** Most expansions that are wanted. */
  readonly count: number;
  readonly doomed: Doomed | undefined;
  /** What has come and is not told yet, since siblings before it are still on their way. */
  readonly early: readonly Outcome[];
  /** Whether the search would end with this tree: nothing is wanted behind its end. */
  readonly isOver: (tree: Tree) => boolean;
}

/**
 * Most likely first. The node of an expansion is one of the tree or, where it is still a ghost, one of the copy: its key, its
 * path and its depth are those that it will have.
 */
export function foreseeAhead(program: Program, tree: Tree, outlook: Outlook): Expansion[] {
  const { count, doomed, early, isOver } = outlook;
  const fork = tree.fork();
  for (const outcome of early) program.tell(fork, outcome);
  passOver(program, fork);
  for (const { node, probing } of [...fork.strands.values()]) {
    if (probing !== undefined && !probing.manner.proposed) passOverProbe(program, fork, node.id, probing.index);
  }
  const foreseen: Expansion[] = [];
  while (foreseen.length < count) {
    const ask = program.ask(fork, true, doomed);
    if (ask === undefined) break;
    if (ask.manner?.proposed) break;
    if (ask.probe) {
      passOverProbe(program, fork, ask.node.id, ask.indices[0]!);
      continue;
    }
    const indices = answerFromGhosts(program, fork, ask);
    if (indices.length > 0) foreseen.push({ ...ask, indices });
    else if (isOver(fork)) return inTree(foreseen, tree);
  }
  const guessed = foreseen.length < count ? program.foresee(fork, count - foreseen.length, doomed) : [];
  return inTree([...foreseen, ...guessed], tree);
}

/** An expansion of which at least half has come goes on without the rest: probably the best is there already. */
function passOver(program: Program, fork: Tree): void {
  for (const { id, node, awaiting, landed } of [...fork.strands.values()]) {
    if (awaiting === 0 || landed.length < awaiting) continue;
    for (const [index, owner] of [...(node.inFlight ?? [])]) {
      if (owner !== id) continue;
      program.tell(fork, { ok: false, node: node.id, index, fault: fault('timeout', 'still on its way') });
    }
  }
}

/** Most probes end nothing: what would follow this one is grown while it is on its way. */
function passOverProbe(program: Program, fork: Tree, node: NodeId, index: number): void {
  program.tell(fork, { probe: true, node, index });
}

/** The child indices that no ghost answers. */
function answerFromGhosts(program: Program, fork: Tree, { node, indices, sampling, manner }: Ask): number[] {
  const form = formKey(sampling, manner);
  const unknown: number[] = [];
  for (const index of indices) {
    const ghost = fork.ghosts.get(drawKey(node.key, index, form));
    if (ghost === undefined) unknown.push(index);
    else program.tell(fork, { ...ghost, ok: true, node: node.id });
  }
  return unknown;
}

/** Several draws below one node, taken in the same way, are one expansion. */
function inTree(foreseen: readonly Expansion[], tree: Tree): Expansion[] {
  const byForm = new Map<DrawKey, Expansion>();
  for (const { node, indices, sampling, manner } of foreseen) {
    const place = drawKey(node.key, 0, formKey(sampling, manner));
    const before = byForm.get(place)?.indices ?? [];
    const all = [...new Set([...before, ...indices])];
    const form = manner === undefined ? { sampling } : { sampling, manner };
    byForm.set(place, { node: tree.nodes[node.id] ?? node, indices: all, ...form });
  }
  return [...byForm.values()];
}
