// Asks programs for as much as each width allows, and fills speculative widths. Ends a search that wants nothing more.

import { type Pruning, spentAt } from '../../exit/prune/prune.ts';
import { mayGrow } from '../../tree/node.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Search } from '../search/search.ts';
import { firstExit, nothingLeft } from './exits.ts';
import type { Finishing } from './finishing.ts';

export class Asking {
  readonly #parts: RuntimeParts;
  readonly #finishing: Finishing;

  constructor(parts: RuntimeParts, finishing: Finishing) {
    this.#parts = parts;
    this.#finishing = finishing;
  }

  ask(nowMs: number): void {
    const { searches } = this.#parts;
    for (const search of searches.takeTouched()) {
      if (searches.isRunning(search)) this.#askOne(search, nowMs);
    }
  }

  #askOne(search: Search, nowMs: number): void {
    const { options, searches, speculation } = this.#parts;
    const { tree, request } = search;
    const doomed = search.doomed(nowMs);
    while (!search.isBroken) {
      const openBefore = tree.strands.size;
      const mayOpen = openBefore < search.width.primary;
      const ask = request.program.ask(tree, mayOpen, doomed);
      if (ask !== undefined) {
        const spent = spentAt(request.rules.prunes, search.view(nowMs), ask.node);
        if (spent === undefined) speculation.launch(search, ask, nowMs);
        else if (!this.#spend(search, { strand: ask.strand, ...spent }, nowMs)) break;
        continue;
      }
      // A program may close a strand that it finds complete after a crash: then there is room again.
      if (tree.strands.size < openBefore) continue;
      if (mayOpen && tree.strands.size === 0 && tree.stragglers.size === 0) {
        return this.#finishing.finish(search, firstExit(search, nowMs, options) ?? nothingLeft(search), nowMs);
      }
      break;
    }
    if (!search.isBroken && searches.isRunning(search)) speculation.fill(search, nowMs);
  }

  #spend(search: Search, pruning: Pruning, nowMs: number): boolean {
    const { options, strands } = this.#parts;
    strands.prune(search, pruning);
    const { tree } = search;
    const doomed = search.doomed(nowMs, true);
    const isOver = tree.strands.size === 0 && tree.nodes.every((node) => !mayGrow(node) || doomed?.(node));
    const exit = firstExit(search, nowMs, options) ?? (isOver ? nothingLeft(search) : undefined);
    if (exit !== undefined) this.#finishing.finish(search, exit, nowMs);
    return exit === undefined && tree.strands.size === 0;
  }
}
