// Plants the tree of a search with what earlier searches taught its program, and learns from a search when it ends. Kept by program, in
// memory: a process begins with nothing learned.

import { type Learned, plantedEvent, type TreeEvent } from '../../tree/events.ts';
import { Tree } from '../../tree/tree.ts';
import type { Search } from '../search/search.ts';
import type { SearchLogs } from './search-logs.ts';
import type { Strands } from './strands.ts';

export class TreeSeeder {
  readonly #strands: Strands;
  readonly #logs: SearchLogs;
  readonly #learned = new Map<string, Learned>();

  constructor(strands: Strands, logs: SearchLogs) {
    this.#strands = strands;
    this.#logs = logs;
  }

  /** A search that was planted before keeps its tree and its belief. */
  plant(search: Search): void {
    if (search.fold.tree !== undefined) return;
    const { aggregation, root } = search.tree;
    const { name, learn } = search.request.program;
    const planted = plantedEvent(aggregation, root.fullAt, learn && this.#learned.get(name));
    search.tree = Tree.replay([planted], this.#follower(search));
    search.fold.tree = search.tree;
    this.#logs.add(search, planted);
  }

  replant(search: Search, tree: Tree): void {
    tree.listen(this.#follower(search));
    search.tree = tree;
  }

  ended({ request: { program }, tree, isBroken }: Search): void {
    const learned = isBroken ? undefined : program.learn?.(tree, this.#learned.get(program.name));
    if (learned !== undefined) this.#learned.set(program.name, learned);
  }

  #follower(search: Search): (event: TreeEvent) => void {
    return (event) => this.#strands.follow(search, event);
  }
}
