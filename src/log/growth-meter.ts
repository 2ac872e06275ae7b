// What growing came to, read from the logs of searches as they are written: how fast paths were completed (P4 §6.1), and which steps that
// were grown ahead became children, by how far ahead of the tree they were (P3, figure 14) and by their depth. Ghosts only: what
// was adopted on its way is no guess any more when it comes.

import type { NodeId, StrandId, TreeEvent } from '../tree/events.ts';
import { type NodeKey, rootKey } from '../tree/keys.ts';
import type { LoggedEvent } from './events.ts';

export interface Guesses {
  guessed: number;
  right: number;
}

export interface GrowthTotals {
  /** Completed paths, their tokens, and the time from admission to the completion of each. */
  paths: number;
  pathTokens: number;
  pathMs: number;
  /** From one step ahead on: a child of a node, a child of such a ghost, and so on. */
  readonly byDistance: Guesses[];
  /** From the first depth on. */
  readonly byDepth: Guesses[];
}

/** Precise goodput: mean tokens of a completed path over the mean time that it took, in tokens per second. */
export function goodput({ pathTokens, pathMs }: Pick<GrowthTotals, 'pathTokens' | 'pathMs'>): number | undefined {
  return pathMs > 0 ? (1000 * pathTokens) / pathMs : undefined;
}

interface PathPlace {
  readonly depth: number;
  readonly pathTokens: number;
  /** 0 for what is in the tree. */
  readonly distance: number;
}

interface SeenSearch {
  readonly admittedMs: number;
  readonly keys: Map<NodeId, NodeKey>;
  readonly places: Map<NodeKey, PathPlace>;
  /** Ghosts that are still ghosts, by parent and index. */
  readonly ghosts: Map<string, NodeKey>;
  readonly strands: Map<StrandId, NodeId>;
}

export class GrowthMeter {
  readonly #searches = new Map<string, SeenSearch>();
  readonly total: GrowthTotals = { paths: 0, pathTokens: 0, pathMs: 0, byDistance: [], byDepth: [] };

  read({ search, event, atMs }: LoggedEvent): void {
    if (event.type === 'admitted') this.#searches.set(search, this.#searches.get(search) ?? admitted(atMs));
    const seen = this.#searches.get(search);
    if (seen === undefined) return;
    if (event.type === 'exited') this.#searches.delete(search);
    else this.#follow(seen, event as TreeEvent, atMs);
  }

  #follow(seen: SeenSearch, event: TreeEvent, atMs: number): void {
    switch (event.type) {
      case 'grown':
        seen.keys.set(event.node, event.key);
        return place(seen, event.key, seen.keys.get(event.parent), event.step.tokens, 0);
      case 'ghosted':
        return this.#guess(seen, event.parentKey, event.index, event.key, event.step.tokens);
      case 'adopted':
        return this.#adopt(seen, event.parent, event.index, event.node);
      case 'merged':
        return this.#adopt(seen, event.parent, event.index, event.into);
      case 'opened':
      case 'moved':
        seen.strands.set(event.strand, event.node);
        return;
      case 'closed':
        if (event.closing === 'completed') this.#complete(seen, event.strand, atMs);
        seen.strands.delete(event.strand);
        return;
    }
  }

  #guess(seen: SeenSearch, parent: NodeKey, index: number, key: NodeKey, tokens: number): void {
    const distance = (seen.places.get(parent)?.distance ?? 0) + 1;
    place(seen, key, parent, tokens, distance);
    seen.ghosts.set(placeName(parent, index), key);
    const { depth } = seen.places.get(key)!;
    at(this.total.byDistance, distance).guessed += 1;
    at(this.total.byDepth, depth).guessed += 1;
  }

  #adopt(seen: SeenSearch, parent: NodeId, index: number, node: NodeId): void {
    const name = placeName(seen.keys.get(parent), index);
    const key = seen.ghosts.get(name);
    const ghost = key === undefined ? undefined : seen.places.get(key);
    if (key === undefined || ghost === undefined) return;
    seen.ghosts.delete(name);
    seen.keys.set(node, key);
    at(this.total.byDistance, Math.max(1, ghost.distance)).right += 1;
    at(this.total.byDepth, ghost.depth).right += 1;
    seen.places.set(key, { ...ghost, distance: 0 });
  }

  #complete(seen: SeenSearch, strand: StrandId, atMs: number): void {
    const node = seen.strands.get(strand);
    const key = node === undefined ? undefined : seen.keys.get(node);
    const path = key === undefined ? undefined : seen.places.get(key);
    if (path === undefined) return;
    this.total.paths += 1;
    this.total.pathTokens += path.pathTokens;
    this.total.pathMs += atMs - seen.admittedMs;
  }
}

function admitted(atMs: number): SeenSearch {
  const root: PathPlace = { depth: 0, pathTokens: 0, distance: 0 };
  const nothing = { ghosts: new Map(), strands: new Map() };
  return { admittedMs: atMs, keys: new Map([[0, rootKey]]), places: new Map([[rootKey, root]]), ...nothing };
}

function place(seen: SeenSearch, key: NodeKey, parent: NodeKey | undefined, tokens: number, distance: number): void {
  const above = parent === undefined ? undefined : seen.places.get(parent);
  const { depth = 0, pathTokens = 0 } = above ?? {};
  // A twin of what is there already is as near as that.
  const near = Math.min(distance, seen.places.get(key)?.distance ?? distance);
  seen.places.set(key, { depth: depth + 1, pathTokens: pathTokens + tokens, distance: near });
}

function at(guesses: Guesses[], from1: number): Guesses {
  while (guesses.length < from1) guesses.push({ guessed: 0, right: 0 });
  return guesses[from1 - 1]!;
}

function placeName(parent: NodeKey | undefined, index: number): string {
  return `${parent} ${index}`;
}
