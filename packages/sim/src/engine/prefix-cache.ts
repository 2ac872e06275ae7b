// The key-value cache of one GPU: a forest of segments by node key, each search's prompt at the root and its steps below. Searches share
// only the blocks that prompts begin with (P0 §5.1). Pinned segments stay. Eviction takes searches with nothing under way first (P1
// §5.3.2), the longest idle first, then the least recently used segments; within both, the deepest first.

import { assert, wideHash } from '@coppice/core/base';
import type { PathStep } from '@coppice/core/engine';
import { type NodeKey, nodeKey, rootKey, type Step } from '@coppice/core/tree';

export interface Segment {
  readonly search: CachedSearch;
  readonly parent: Segment | undefined;
  readonly key: NodeKey;
  readonly tokens: number;
  /** Number of running sequences that grow from this segment. */
  pins: number;
  children: number;
  idle: boolean;
}

interface CachedSearch {
  prompt: Segment | undefined;
  readonly steps: Map<NodeKey, Segment>;
  released: boolean;
  /** Number of running sequences that grow from any of its segments. */
  pins: number;
  readonly idle: Set<Segment>;
}

/** Names of the leading blocks of a prompt that other prompts may share. `tokens`: length of each block. */
export interface PromptBlocks {
  readonly names: readonly number[];
  readonly tokens: number;
}

interface Prefix {
  readonly segment: Segment;
  readonly computedTokens: number;
  readonly cachedTokens: number;
}

export class PrefixCache {
  readonly capacityTokens: number;
  #usedTokens = 0;
  #evictedTokens = 0;
  /** Idle segments, the least recently used first. */
  readonly #byAge = new Set<Segment>();
  /** Idle parents whose branch was evicted: they go before `#byAge`, the last one first. */
  readonly #emptied: Segment[] = [];
  readonly #searches = new Map<string, CachedSearch>();
  /** Searches without running sequences, the longest idle first. */
  readonly #resting = new Set<CachedSearch>();
  /** Owns all shared blocks, each below the one before it. Never in `#resting`: its blocks are evicted by age alone. */
  readonly #shared: CachedSearch = newSearch();

  constructor(capacityTokens: number) {
    this.capacityTokens = capacityTokens;
  }

  get usedTokens(): number {
    return this.#usedTokens;
  }

  get freeTokens(): number {
    return this.capacityTokens - this.#usedTokens;
  }

  get evictedTokens(): number {
    return this.#evictedTokens;
  }

  /** Makes the whole prefix resident until `unpin`, with `spareTokens` free besides. Undefined if there is no room. */
  pin(
    search: string,
    promptTokens: number,
    path: readonly PathStep[],
    spareTokens: number,
    blocks: PromptBlocks = noBlocks,
  ): Prefix | undefined {
    const known = this.#knownSearch(search);
    // A resident segment keeps its parents resident, so the deepest one found ends the resident part.
    const depth = known.prompt === undefined ? 0 : path.findLastIndex(({ key }) => known.steps.has(key)) + 1;
    let segment = depth === 0 ? known.prompt : known.steps.get(path[depth - 1]!.key);
    const keys = segment === undefined ? blockKeys(blocks, promptTokens) : [];
    const found = segment ?? this.#lastResident(keys);
    // Held before room is made, so that eviction cannot drop the part that is resident.
    if (found !== undefined) this.#hold(found);
    const unread = segment === undefined ? promptTokens - depthOf(found, keys) * blocks.tokens : 0;
    const computedTokens = unread + sumTokens(path, depth);
    if (!this.makeRoom(computedTokens + spareTokens)) {
      if (found !== undefined) this.unpin(found);
      return undefined;
    }
    segment ??= this.#makePrompt(known, promptTokens, found, keys, blocks.tokens);
    for (let at = depth; at < path.length; at += 1) segment = this.#extend(segment, path[at]!);
    return { segment, computedTokens, cachedTokens: promptTokens + sumTokens(path, 0) - computedTokens };
  }

  /** Makes the missing shared blocks and, below them, the search's own part of its prompt. Expects `found` held, and unpins it. */
  #makePrompt(
    known: CachedSearch,
    promptTokens: number,
    found: Segment | undefined,
    keys: readonly NodeKey[],
    blockTokens: number,
  ): Segment {
    let above = found;
    for (const key of keys.slice(depthOf(found, keys))) {
      const below = this.#make(this.#shared, above, key, blockTokens);
      this.#hold(below);
      if (above !== undefined) this.unpin(above);
      above = below;
    }
    const prompt = this.#make(known, above, rootKey, promptTokens - keys.length * blockTokens);
    known.prompt = prompt;
    this.#hold(prompt);
    if (above !== undefined) this.unpin(above);
    return prompt;
  }

  #lastResident(keys: readonly NodeKey[]): Segment | undefined {
    const { steps } = this.#shared;
    return steps.get(keys.findLast((key) => steps.has(key)) ?? rootKey);
  }

  unpin(segment: Segment): void {
    assert(segment.pins > 0, 'a prefix is unpinned more often than pinned');
    segment.pins -= 1;
    const { search } = segment;
    search.pins -= 1;
    if (search.pins === 0 && !search.released && search !== this.#shared) this.#resting.add(search);
    this.#settle(segment);
  }

  /** Reserves room for tokens outside of segments: those that running sequences have generated. */
  take(tokens: number): void {
    this.#usedTokens += tokens;
    assert(this.#usedTokens <= this.capacityTokens, 'the cache holds more than its capacity');
  }

  giveBack(tokens: number): void {
    this.#usedTokens -= tokens;
    assert(this.#usedTokens >= 0, 'the cache gave back more than it held');
  }

  /** Turns a finished step below a pinned prefix into a segment; `take` has counted its tokens before. */
  keep(prefix: Segment, step: Step): void {
    this.giveBack(step.tokens);
    const key = nodeKey(prefix.key, step);
    if (prefix.search.steps.has(key)) return;
    this.#settle(this.#make(prefix.search, prefix, key, step.tokens));
  }

  makeRoom(tokens: number): boolean {
    while (this.freeTokens < tokens) {
      const victim = this.#victim();
      if (victim === undefined) return false;
      this.#evictedTokens += victim.tokens;
      this.#drop(victim);
    }
    return true;
  }

  #victim(): Segment | undefined {
    for (const search of this.#resting) {
      for (const segment of search.idle) return segment;
      this.#resting.delete(search);
    }
    return this.#emptied.at(-1) ?? this.#byAge.values().next().value;
  }

  /** Drops a search's segments: unused ones now, the others when they are unpinned. */
  release(search: string): void {
    const known = this.#searches.get(search);
    if (known === undefined) return;
    this.#searches.delete(search);
    this.#resting.delete(known);
    known.released = true;
    for (const segment of [...known.steps.values()].reverse()) if (segment.idle) this.#drop(segment);
    if (known.prompt?.idle) this.#drop(known.prompt);
  }

  #extend(held: Segment, { key, step }: PathStep): Segment {
    const below = this.#make(held.search, held, key, step.tokens);
    this.#hold(below);
    this.unpin(held);
    return below;
  }

  #knownSearch(search: string): CachedSearch {
    const known = this.#searches.get(search) ?? newSearch();
    this.#searches.set(search, known);
    return known;
  }

  #make(search: CachedSearch, parent: Segment | undefined, key: NodeKey, tokens: number): Segment {
    this.take(tokens);
    const segment: Segment = { search, parent, key, tokens, pins: 0, children: 0, idle: false };
    if (parent?.idle) this.#unlink(parent);
    if (parent !== undefined) parent.children += 1;
    if (key !== rootKey) search.steps.set(key, segment);
    return segment;
  }

  #hold(segment: Segment): void {
    if (segment.idle) this.#unlink(segment);
    segment.pins += 1;
    segment.search.pins += 1;
    this.#resting.delete(segment.search);
  }

  /** Makes a segment evictable once no sequence grows from it and nothing lies below it. */
  #settle(segment: Segment): void {
    if (segment.pins > 0 || segment.children > 0 || segment.idle) return;
    this.#link(segment);
    if (segment.search.released) this.#drop(segment);
  }

  #drop(segment: Segment): void {
    this.#unlink(segment);
    this.giveBack(segment.tokens);
    const { parent, search } = segment;
    if (search.prompt === segment) search.prompt = undefined;
    else search.steps.delete(segment.key);
    if (parent === undefined) return;
    parent.children -= 1;
    if (parent.pins > 0 || parent.children > 0) return;
    // The last search below a shared block has left: the block counts as used just now.
    if (parent.search !== search) return this.#link(parent);
    parent.idle = true;
    search.idle.add(parent);
    this.#emptied.push(parent);
    if (search.released) this.#drop(parent);
  }

  #link(segment: Segment): void {
    segment.idle = true;
    segment.search.idle.add(segment);
    this.#byAge.add(segment);
  }

  #unlink(segment: Segment): void {
    segment.idle = false;
    segment.search.idle.delete(segment);
    if (!this.#byAge.delete(segment)) this.#emptied.splice(this.#emptied.lastIndexOf(segment), 1);
  }
}

export const noBlocks: PromptBlocks = { names: [], tokens: 1 };

function newSearch(): CachedSearch {
  return { prompt: undefined, steps: new Map(), released: false, pins: 0, idle: new Set() };
}

/** A block's key covers all blocks before it. A prompt keeps a token of its own, since engines always compute the last one. */
function blockKeys({ names, tokens }: PromptBlocks, promptTokens: number): NodeKey[] {
  const whole = names.length === 0 ? 0 : Math.min(names.length, Math.floor((promptTokens - 1) / tokens));
  let key = rootKey;
  return names.slice(0, whole).map((name) => {
    key = wideHash(key, 'block', name);
    return key;
  });
}

function depthOf(found: Segment | undefined, keys: readonly NodeKey[]): number {
  return found === undefined ? 0 : keys.indexOf(found.key) + 1;
}

function sumTokens(path: readonly PathStep[], from: number): number {
  let sum = 0;
  for (let at = from; at < path.length; at += 1) sum += path[at]!.step.tokens;
  return sum;
}
