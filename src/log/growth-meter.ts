// What growing came to, read from the logs of searches as they are written: how fast paths were completed (P4 §6.1), and how often
// what was grown ahead was right, which a search says when it ends.

import type { NodeId, StrandId, TreeEvent } from '../tree/events.ts';
import { type NodeKey, rootKey } from '../tree/keys.ts';
import type { LoggedEvent } from './events.ts';
import { addGuesses, type Guesses } from './guesses.ts';

export interface GrowthTotals {
  /** Completed paths, their tokens, and the time from admission to the completion of each. */
  paths: number;
  pathTokens: number;
  pathMs: number;
  readonly byDistance: Guesses[];
  readonly byDepth: Guesses[];
}

/** Precise goodput: mean tokens of a completed path over the mean time that it took, in tokens per second. */
export function goodput({ pathTokens, pathMs }: Pick<GrowthTotals, 'pathTokens' | 'pathMs'>): number | undefined {
  return pathMs > 0 ? (1000 * pathTokens) / pathMs : undefined;
}

interface SeenSearch {
  readonly admittedMs: number;
  readonly keys: Map<NodeId, NodeKey>;
  readonly pathTokens: Map<NodeKey, number>;
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
    if (event.type === 'exited') {
      this.#searches.delete(search);
      addGuesses(this.total.byDistance, event.guesses?.byDistance ?? []);
      addGuesses(this.total.byDepth, event.guesses?.byDepth ?? []);
    } else this.#follow(seen, event as TreeEvent, atMs);
  }

  #follow(seen: SeenSearch, event: TreeEvent, atMs: number): void {
    switch (event.type) {
      case 'grown':
        seen.keys.set(event.node, event.key);
        return lengthen(seen, event.key, seen.keys.get(event.parent), event.step.tokens);
      case 'ghosted':
        seen.ghosts.set(placeName(event.parentKey, event.index), event.key);
        return lengthen(seen, event.key, event.parentKey, event.step.tokens);
      case 'adopted':
        return adopt(seen, event.parent, event.index, event.node);
      case 'merged':
        return adopt(seen, event.parent, event.index, event.into);
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

  #complete(seen: SeenSearch, strand: StrandId, atMs: number): void {
    const node = seen.strands.get(strand);
    const key = node === undefined ? undefined : seen.keys.get(node);
    const pathTokens = key === undefined ? undefined : seen.pathTokens.get(key);
    if (pathTokens === undefined) return;
    this.total.paths += 1;
    this.total.pathTokens += pathTokens;
    this.total.pathMs += atMs - seen.admittedMs;
  }
}

function admitted(atMs: number): SeenSearch {
  const nothing = { ghosts: new Map(), strands: new Map() };
  return { admittedMs: atMs, keys: new Map([[0, rootKey]]), pathTokens: new Map([[rootKey, 0]]), ...nothing };
}

function lengthen(seen: SeenSearch, key: NodeKey, parent: NodeKey | undefined, tokens: number): void {
  const before = parent === undefined ? 0 : (seen.pathTokens.get(parent) ?? 0);
  seen.pathTokens.set(key, before + tokens);
}

function adopt(seen: SeenSearch, parent: NodeId, index: number, node: NodeId): void {
  const name = placeName(seen.keys.get(parent), index);
  const key = seen.ghosts.get(name);
  if (key === undefined) return;
  seen.ghosts.delete(name);
  seen.keys.set(node, key);
}

function placeName(parent: NodeKey | undefined, index: number): string {
  return `${parent} ${index}`;
}
