// How often speculation was right, read from the logs of searches: which ghosts became children, by how far ahead of the tree
// they were grown. A child of a node lies one step ahead, a child of such a ghost two (P3, figure 14 counts rollouts).

import type { LoggedEvent } from '../../log/events.ts';
import type { NodeId } from '../../tree/events.ts';
import { type NodeKey, rootKey } from '../../tree/keys.ts';

export interface Guesses {
  guessed: number;
  right: number;
}

interface SeenSearch {
  readonly keys: Map<NodeId, NodeKey>;
  /** Ghosts that are still ghosts, by parent and index. */
  readonly open: Map<string, { readonly key: NodeKey; readonly distance: number }>;
  readonly distances: Map<NodeKey, number>;
}

export class GhostCount {
  readonly #searches = new Map<string, SeenSearch>();
  /** From one step ahead on. */
  readonly byDistance: Guesses[] = [];

  read({ search, event }: LoggedEvent): void {
    const seen = this.#searches.get(search) ?? seenNothing();
    this.#searches.set(search, seen);
    if (event.type === 'grown') seen.keys.set(event.node, event.key);
    if (event.type === 'ghosted') this.#guessed(seen, event);
    if (event.type === 'adopted') this.#right(seen, event);
    if (event.type === 'merged') seen.open.delete(placeOf(seen.keys.get(event.parent), event.index));
    if (event.type === 'exited') this.#searches.delete(search);
  }

  #guessed(seen: SeenSearch, { key, parentKey, index }: { key: NodeKey; parentKey: NodeKey; index: number }): void {
    const distance = (seen.distances.get(parentKey) ?? 0) + 1;
    seen.open.set(placeOf(parentKey, index), { key, distance });
    seen.distances.set(key, distance);
    this.#at(distance).guessed += 1;
  }

  #right(seen: SeenSearch, { node, parent, index }: { node: NodeId; parent: NodeId; index: number }): void {
    const place = placeOf(seen.keys.get(parent), index);
    const ghost = seen.open.get(place);
    if (ghost === undefined) return;
    seen.open.delete(place);
    seen.distances.delete(ghost.key);
    seen.keys.set(node, ghost.key);
    this.#at(ghost.distance).right += 1;
  }

  #at(distance: number): Guesses {
    while (this.byDistance.length < distance) this.byDistance.push({ guessed: 0, right: 0 });
    return this.byDistance[distance - 1]!;
  }
}

function seenNothing(): SeenSearch {
  return { keys: new Map([[0, rootKey]]), open: new Map(), distances: new Map() };
}

function placeOf(parent: NodeKey | undefined, index: number): string {
  return `${parent} ${index}`;
}
