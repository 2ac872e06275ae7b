// Keys and values in one GPU's memory, as a forest of segments: a search's prompt, and below it its steps. A step is known
// by the key of its node, so that a path handed in again, or a twin, finds what is still there. Nothing is shared across
// searches (P0 §5.1), except the blocks that a prompt is said to begin with. Segments in use stay; the rest go when room is
// needed: first those of searches with nothing on their way (P1 §5.3.2), the one that has been idle for longest first, then the
// least recently used; deepest first.

import { assert, wideHash } from '@coppice/core/base';
import type { PathStep } from '@coppice/core/engine';
import { type NodeKey, nodeKey, rootKey, type Step } from '@coppice/core/tree';

export interface Segment {
  readonly search: CachedSearch;
  readonly parent: Segment | undefined;
  readonly key: NodeKey;
  readonly tokens: number;
  /** Sequences that grow from exactly here. */
  pins: number;
  /** Resident segments right below. */
  children: number;
  idle: boolean;
  older: Segment | undefined;
  newer: Segment | undefined;
}

interface CachedSearch {
  prompt: Segment | undefined;
  readonly steps: Map<NodeKey, Segment>;
  released: boolean;
  /** Sequences that grow from any of its segments. */
  pins: number;
  /** Its segments that may be evicted. */
  readonly idle: Set<Segment>;
}

/** How a prompt begins: blocks that other prompts may begin with too, by name, and the tokens of each. */
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
  #oldest: Segment | undefined;
  #newest: Segment | undefined;
  readonly #searches = new Map<string, CachedSearch>();
  /** Searches with nothing on their way, the one that has been so for longest first. */
  readonly #resting = new Set<CachedSearch>();
  /** The owner of all shared blocks, each below the one before it. It never rests: its blocks go by age alone. */
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

  /**
   * Makes the whole prefix resident, counts what that computes, and keeps it until `unpin`. `spareTokens` must be free
   * besides. Undefined, with nothing changed but idle segments dropped, when there is no room.
   */
  pin(
    search: string,
    promptTokens: number,
    path: readonly PathStep[],
    spareTokens: number,
    blocks: PromptBlocks = noBlocks,
  ): Prefix | undefined {
    const known = this.#knownSearch(search);
    const depth = known.prompt === undefined ? 0 : this.#residentDepth(known, path);
    let segment = depth === 0 ? known.prompt : known.steps.get(path[depth - 1]!.key);
    const keys = segment === undefined ? blockKeys(blocks, promptTokens) : [];
    const found = segment ?? this.#lastResident(keys);
    // Held before room is made: making it must not drop the part that is there.
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

  /** The search's own part of a prompt below its shared blocks; those of them that are not there are made. `found` is held, and let go. */
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
    for (let at = keys.length - 1; at >= 0; at -= 1) {
      const segment = this.#shared.steps.get(keys[at]!);
      if (segment !== undefined) return segment;
    }
    return undefined;
  }

  unpin(segment: Segment): void {
    assert(segment.pins > 0, 'a prefix is unpinned more often than pinned');
    segment.pins -= 1;
    const { search } = segment;
    search.pins -= 1;
    if (search.pins === 0 && !search.released && search !== this.#shared) this.#resting.add(search);
    this.#settle(segment);
  }

  /** Room for tokens that belong to no segment: what running sequences have generated. */
  take(tokens: number): void {
    this.#usedTokens += tokens;
    assert(this.#usedTokens <= this.capacityTokens, 'the cache holds more than its capacity');
  }

  giveBack(tokens: number): void {
    this.#usedTokens -= tokens;
    assert(this.#usedTokens >= 0, 'the cache gave back more than it held');
  }

  /** A finished step below a pinned prefix becomes a segment; its tokens were taken before. */
  keep(prefix: Segment, step: Step): void {
    this.giveBack(step.tokens);
    const key = nodeKey(prefix.key, step);
    if (prefix.search.steps.has(key)) return;
    const made = this.#make(prefix.search, prefix, key, step.tokens);
    this.#settle(made);
  }

  /** Drops idle segments until `tokens` are free; false when that cannot be had. */
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
    return this.#oldest;
  }

  /** The search has ended: what is not in use goes now, the rest as soon as it is unpinned. */
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

  #residentDepth(known: CachedSearch, path: readonly PathStep[]): number {
    // A resident segment keeps its parents resident, so the deepest one found is the end of the resident part.
    for (let depth = path.length; depth > 0; depth -= 1) {
      if (known.steps.has(path[depth - 1]!.key)) return depth;
    }
    return 0;
  }

  #knownSearch(search: string): CachedSearch {
    let known = this.#searches.get(search);
    if (known === undefined) {
      known = newSearch();
      this.#searches.set(search, known);
    }
    return known;
  }

  #make(search: CachedSearch, parent: Segment | undefined, key: NodeKey, tokens: number): Segment {
    this.take(tokens);
    const links = { idle: false, older: undefined, newer: undefined };
    const segment: Segment = { search, parent, key, tokens, pins: 0, children: 0, ...links };
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

  /** No sequence grows from it and nothing lies below it: from now on it may be evicted. */
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
    // The last search above a shared block has left: it was used just now.
    if (parent.search !== search) return this.#link(parent);
    this.#linkOldest(parent);
    if (search.released) this.#drop(parent);
  }

  #link(segment: Segment): void {
    segment.idle = true;
    segment.search.idle.add(segment);
    segment.older = this.#newest;
    segment.newer = undefined;
    if (this.#newest === undefined) this.#oldest = segment;
    else this.#newest.newer = segment;
    this.#newest = segment;
  }

  /** A branch goes from its tip down, so a parent left bare is next. */
  #linkOldest(segment: Segment): void {
    segment.idle = true;
    segment.search.idle.add(segment);
    segment.older = undefined;
    segment.newer = this.#oldest;
    if (this.#oldest === undefined) this.#newest = segment;
    else this.#oldest.older = segment;
    this.#oldest = segment;
  }

  #unlink(segment: Segment): void {
    segment.idle = false;
    segment.search.idle.delete(segment);
    if (segment.older === undefined) this.#oldest = segment.newer;
    else segment.older.newer = segment.newer;
    if (segment.newer === undefined) this.#newest = segment.older;
    else segment.newer.older = segment.older;
    segment.older = undefined;
    segment.newer = undefined;
  }
}

export const noBlocks: PromptBlocks = { names: [], tokens: 1 };

function newSearch(): CachedSearch {
  return { prompt: undefined, steps: new Map(), released: false, pins: 0, idle: new Set() };
}

/** A block is the same where all before it are. A prompt keeps a token of its own, as an engine computes its last one anew. */
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
