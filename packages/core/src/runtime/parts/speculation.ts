// Speculation: spare budget spent on what a program will probably ask for next. An expansion holds one lease until its last child is
// answered or adopted. Its children count in no vote before the program asks for them; then they are adopted in flight or taken from their
// ghosts.

import { assert } from '../../base/assert.ts';
import type { Expansion, OpenLevel, ProbeOutcome } from '../../program/program.ts';
import { foreseeAhead } from '../../program/speculation-ahead.ts';
import { drawKey, formKey, type NodeKey } from '../../tree/keys.ts';
import type { Node } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';
import type { Leases } from '../budget/leases.ts';
import { guard } from '../guard/guard.ts';
import type { Flight, Search } from '../search/search.ts';
import type { OpenSpeculation } from '../search/speculation-state.ts';
import { sourcesOf } from '../steps/words.ts';
import type { Flights } from './flights.ts';
import type { SearchTable } from './searches.ts';

export class Speculation {
  readonly #leases: Leases;
  readonly #flights: Flights;
  readonly #searches: SearchTable;
  /** Open expansions of all searches. */
  open = 0;

  constructor(leases: Leases, flights: Flights, searches: SearchTable) {
    this.#leases = leases;
    this.#flights = flights;
    this.#searches = searches;
  }

  fill(search: Search, nowMs: number): void {
    const { speculation, width, foreseeable } = search;
    if (speculation.open.size >= Math.min(width.speculative, foreseeable)) return;
    guard(search, 'program', search.request.program, 'foresee', () => this.#fill(search, nowMs), undefined);
  }

  #fill(search: Search, nowMs: number): void {
    const { speculation, width } = search;
    const { open, guesses } = speculation;
    for (const expansion of this.#foresee(search, nowMs)) {
      if (open.size >= width.speculative) return;
      const { node, sampling, manner } = expansion;
      if (manner !== undefined && sourcesOf(search.tree, node, manner).includes(undefined)) continue;
      const form = formKey(sampling, manner);
      const indices = expansion.indices.filter((index) => !search.knows(drawKey(node.key, index, form)));
      if (indices.length === 0) continue;
      this.#take(search, node.key, indices.length);
      const rank = open.size;
      const place = { rank, distance: 1 + ghostsTo(node, search.tree), depth: node.depth + 1, madeMs: nowMs };
      for (const index of indices) guesses.add(drawKey(node.key, index, form), place);
      this.#flights.start(search, expansion, indices, 'speculative', nowMs);
    }
    search.foresawAll();
  }

  #take(search: Search, node: NodeKey, children: number): void {
    const { open } = search.speculation;
    const begun = open.get(node);
    if (begun !== undefined) begun.remaining += children;
    else {
      open.set(node, { lease: this.#leases.take(search.id), remaining: children });
      this.open += 1;
    }
  }

  #foresee(search: Search, nowMs: number): Expansion[] {
    const { request, tree, width, order } = search;
    return foreseeAhead(request.program, tree, {
      count: width.speculative,
      doomed: search.doomed(nowMs, true),
      early: order.early,
      replies: search.speculation.replies,
      isOver: (fork) => request.rules.exits.some((rule) => rule.check(search.view(nowMs, fork)) !== undefined),
    });
  }

  /** A level that has chosen asks for nothing that was foreseen elsewhere. */
  giveUp(search: Search): void {
    const { tree, flights, speculation, request } = search;
    const level = speculation.open.size === 0 ? undefined : request.program.level?.(tree);
    if (level === undefined) return;
    for (const flight of [...flights.values()]) {
      if (flight.lane === 'primary' || flight.isProbe || isBelow(level, flight)) continue;
      this.#flights.cancel(flight);
      this.#settle(flight);
    }
  }

  shrink(search: Search, most: number, nowMs: number): void {
    const latest = [...search.speculation.open.keys()].slice(most).reverse();
    for (const node of latest) this.#drop(search, node, nowMs);
  }

  /** Each child comes from a ghost, from an adopted flight, or from the engine. */
  launch(search: Search, expansion: Expansion, nowMs: number): void {
    guard(search, 'program', search.request.program, 'ask', () => this.#launch(search, expansion, nowMs), undefined);
  }

  #launch(search: Search, expansion: Expansion, nowMs: number): void {
    const { node, sampling, manner } = expansion;
    const form = formKey(sampling, manner);
    const { guesses, replies } = search.speculation;
    const indices = expansion.indices.filter((index) => {
      const draw = drawKey(node.key, index, form);
      guesses.asked(draw);
      const ghost = search.tree.ghosts.get(draw);
      const reply = replies.get(draw);
      const flight = search.flights.get(draw);
      if (ghost !== undefined) this.#flights.promote(search, node.id, ghost);
      else if (reply !== undefined) this.#flights.answerProbe(search, node.id, index, reply);
      else if (flight !== undefined) this.#adopt(flight, node);
      replies.delete(draw);
      return ghost === undefined && reply === undefined && flight === undefined;
    });
    this.#flights.start(search, expansion, indices, 'primary', nowMs);
  }

  #adopt(flight: Flight, node: Node): void {
    if (flight.lane === 'primary') return;
    this.#flights.adopt(flight);
    this.#settle(flight);
    if (flight.isProbe) flight.node = node;
  }

  keepReply({ search, draw }: Flight, { reply }: ProbeOutcome): void {
    if (reply === undefined) return;
    search.speculation.replies.set(draw, reply);
    search.speculation.foreseesMore();
  }

  landed(flight: Flight): void {
    if (flight.lane === 'speculative') this.#settle(flight);
  }

  #settle({ search, node }: Flight): void {
    const open = search.speculation.open.get(node.key);
    if (open === undefined) return;
    open.remaining -= 1;
    if (open.remaining > 0) return;
    this.#close(search, node.key, open);
    this.#searches.touch(search);
  }

  #drop(search: Search, node: NodeKey, nowMs: number): void {
    const { open, guesses } = search.speculation;
    const dropped = open.get(node);
    assert(dropped !== undefined, 'there is no such speculation to drop');
    for (const flight of [...search.flights.values()]) {
      if (flight.node.key !== node || flight.lane !== 'speculative') continue;
      guesses.withdrawn(flight.draw, nowMs);
      this.#flights.cancel(flight);
    }
    this.#close(search, node, dropped);
  }

  #close(search: Search, node: NodeKey, { lease }: OpenSpeculation): void {
    search.speculation.open.delete(node);
    this.#leases.give(lease);
    this.open -= 1;
  }
}

/** True for a draw that the level wants, or that is below one. */
function isBelow({ draws }: OpenLevel, { node, index }: Flight): boolean {
  let below = index;
  for (let at: Node | undefined = node; at !== undefined; at = at.parent) {
    const most = draws.get(at.key);
    if (most !== undefined) return below < most;
    below = at.index;
  }
  return false;
}

/** Steps of the path that are not in the tree yet, its own included: a look ahead numbers them behind the tree's. */
function ghostsTo(node: Node, tree: Tree): number {
  let ghosts = 0;
  for (let each: Node | undefined = node; each !== undefined && each.id >= tree.nodes.length; each = each.parent)
    ghosts += 1;
  return ghosts;
}
