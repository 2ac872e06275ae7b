// Foresees what a search will ask for next by running its program ahead (`Tree.ahead`): what has come early and what is there as a
// ghost is answered, with its reward, and the program goes on from there (P3, Algorithm 1); what has not been grown yet is what
// can be speculated on. The tree is as it was afterwards, so no speculation can change what a search does.

import { fault } from '../base/fault.ts';
import type { NodeId, ProbeReply } from '../tree/events.ts';
import { type DrawKey, drawKey, formKey } from '../tree/keys.ts';
import type { Tree } from '../tree/tree.ts';
import type { Ask, Doomed, Expansion, Outcome, Program } from './program.ts';

export interface AheadOptions {
  readonly count: number;
  readonly doomed: Doomed | undefined;
  /** Outcomes that have come and are not told yet, since siblings before them are still on their way. */
  readonly early: readonly Outcome[];
  /** Replies to probes that the program has not asked for yet. */
  readonly replies?: ReadonlyMap<DrawKey, ProbeReply>;
  /** True where the search would end with this tree: nothing is wanted behind its end. */
  readonly isOver: (tree: Tree) => boolean;
}

/**
 * Most likely first. The node of an expansion is one of the tree or, where it is still a ghost, one that was grown in looking
 * ahead: its key, its path and its depth are those that it will have.
 */
export function foreseeAhead(program: Program, tree: Tree, options: AheadOptions): Expansion[] {
  const foreseen = tree.ahead((fork) => runAhead(program, fork, options));
  return inTree(foreseen, tree);
}

function runAhead(program: Program, fork: Tree, { count, doomed, early, replies, isOver }: AheadOptions): Expansion[] {
  for (const outcome of early) program.tell(fork, outcome);
  if (!program.level?.(fork).needsWhole) passOver(program, fork);
  // Most probes end nothing: what would follow one is grown while it is on its way. Those that are steps of a rollout, played on and scored,
  // are grown ahead themselves.
  const passOverProbe = (node: NodeId, index: number, reply?: ProbeReply) =>
    program.tell(fork, { probe: true, node, index, reply });
  for (const { node, probing } of [...fork.strands.values()]) {
    if (probing !== undefined && !probing.manner.proposed) passOverProbe(node.id, probing.index);
  }
  const foreseen: Expansion[] = [];
  while (foreseen.length < count) {
    const ask = program.ask(fork, true, doomed);
    if (ask === undefined) break;
    if (ask.manner?.proposed) break;
    if (ask.probe) {
      const { node, indices, sampling, manner } = ask;
      const reply = replies?.get(drawKey(node.key, indices[0]!, formKey(sampling, manner)));
      if (reply === undefined && manner?.scored) foreseen.push({ node, indices, sampling, manner, probe: true });
      passOverProbe(node.id, indices[0]!, reply);
      continue;
    }
    const indices = answerFromGhosts(program, fork, ask);
    if (indices.length > 0) foreseen.push({ ...ask, indices });
    else if (isOver(fork)) return foreseen.map(withReplies);
  }
  const guessed = foreseen.length < count ? program.foresee(fork, count - foreseen.length, doomed) : [];
  return [...foreseen, ...guessed].map(withReplies);
}

/** Keeps replies that were said in looking ahead alone: the node forgets them. */
function withReplies(expansion: Expansion): Expansion {
  const { node, probe } = expansion;
  return probe ? { ...expansion, node: { ...node, probes: node.probes && new Map(node.probes) } } : expansion;
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
  for (const { node, indices, sampling, manner, probe } of foreseen) {
    const place = drawKey(node.key, 0, formKey(sampling, manner));
    const before = byForm.get(place)?.indices ?? [];
    const all = [...new Set([...before, ...indices])];
    const known = probe ? node : (tree.nodes[node.id] ?? node);
    byForm.set(place, { node: known, indices: all, sampling, manner, probe });
  }
  return [...byForm.values()];
}
