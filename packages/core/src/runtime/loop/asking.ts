// Asks programs for as much as each width allows, and fills speculative widths. Ends a search that wants nothing more.

import { type Pruning, spentAt } from '../../exit/prune.ts';
import { mayGrow } from '../../tree/node.ts';
import type { RuntimeParts } from '../parts/parts.ts';
import type { Search } from '../search/search.ts';
import { firstExit, nothingLeft } from './exits.ts';
import { finish } from './finishing.ts';

export function askPrograms(parts: RuntimeParts, nowMs: number): void {
  const { searches } = parts;
  for (const search of searches.takeTouched()) {
    if (searches.isRunning(search)) askOne(parts, search, nowMs);
  }
}

function askOne(parts: RuntimeParts, search: Search, nowMs: number): void {
  const { options, searches, speculation } = parts;
  const { tree, request } = search;
  const doomed = search.doomed(nowMs);
  while (!search.isBroken) {
    const openBefore = tree.strands.size;
    const mayOpen = openBefore < search.width.primary;
    const ask = request.program.ask(tree, mayOpen, doomed);
    if (ask !== undefined) {
      const spent = spentAt(request.rules.prunes, search.view(nowMs), ask.node);
      if (spent === undefined) speculation.launch(search, ask, nowMs);
      else if (!spend(parts, search, { strand: ask.strand, ...spent }, nowMs)) break;
      continue;
    }
    // A program may close a strand that it finds complete after a crash: then there is room again.
    if (tree.strands.size < openBefore) continue;
    if (mayOpen && tree.strands.size === 0) {
      return finish(parts, search, firstExit(search, nowMs, options) ?? nothingLeft(search), nowMs);
    }
    break;
  }
  if (!search.isBroken && searches.isRunning(search)) speculation.fill(search, nowMs);
}

function spend(parts: RuntimeParts, search: Search, pruning: Pruning, nowMs: number): boolean {
  const { options, strands } = parts;
  strands.prune(search, pruning);
  const { tree } = search;
  const doomed = search.doomed(nowMs, true);
  const isOver = tree.strands.size === 0 && tree.nodes.every((node) => !mayGrow(node) || doomed?.(node));
  const exit = firstExit(search, nowMs, options) ?? (isOver ? nothingLeft(search) : undefined);
  if (exit !== undefined) finish(parts, search, exit, nowMs);
  return exit === undefined && tree.strands.size === 0;
}
