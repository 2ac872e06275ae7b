// The token paths in the KV cache, as a tree of segments. A prefix shared by many branches is stored once. A branch is one native sequence: a
// path from the root to the end of a segment. Idle branches stay as cached prefixes until room is needed.
// This class decides and counts; only `SequenceMemory` changes the cache.

import { assert, Counter } from '@coppice/core/base';
import {
  anyBranchBelow,
  type Branch,
  type CacheSegment,
  countReferences,
  descend,
  isCovered,
  isHeldByOwn,
  makeSegment,
  split,
} from './cache-segment.ts';
import { KeptRows } from './kept-rows.ts';

/** The cache operations for forking and forgetting; `start`, `end` and `from` are positions. */
export interface SequenceMemory {
  /** Lets sequence `to`, which must hold exactly `start` positions, share the cells of `from` from there to `end`. */
  copy(from: number, to: number, start: number, end: number): void;
  /** Removes a sequence's positions from `from` on; cells that no sequence holds become free. */
  remove(sequence: number, from: number): void;
  /** The same, but cells that no sequence holds become free only at `sweep`. */
  bury(sequence: number, from: number): void;
  sweep(): void;
}

export interface PrefixMatch {
  readonly length: number;
  readonly segment: CacheSegment;
  readonly row: Float32Array | undefined;
}

export interface PrefixStoreOptions {
  readonly cells: number;
  /** Native sequences; libllama takes at most 256. */
  readonly sequences: number;
  /** Most logits kept in rows, over all paths. */
  readonly keptLogits: number;
}

export class PrefixStore {
  readonly #memory: SequenceMemory;
  readonly #options: PrefixStoreOptions;
  readonly #freeSequences: number[] = [];
  readonly #idle = new Set<Branch>();
  readonly #rows: KeptRows;
  readonly #root: CacheSegment = makeSegment(undefined, 0, []);
  #usedCells = 0;
  /** Buried cells: no sequence holds them, but they become free only at `sweep`. */
  #buriedCells = 0;
  #hasBuried = false;
  #keepsOrder = false;
  #branches = 0;
  readonly #uses = new Counter(1);

  constructor(memory: SequenceMemory, options: PrefixStoreOptions) {
    this.#memory = memory;
    this.#options = options;
    this.#rows = new KeptRows(options.keptLogits);
    for (let sequence = options.sequences - 1; sequence >= 0; sequence -= 1) this.#freeSequences.push(sequence);
    this.#root.references = 1;
  }

  get cells(): number {
    return this.#options.cells;
  }
  get usedCells(): number {
    return this.#usedCells;
  }
  get freeCells(): number {
    return this.#options.cells - this.#usedCells - this.#buriedCells;
  }
  get buriedCells(): number {
    return this.#buriedCells;
  }
  get freeSequences(): number {
    return this.#freeSequences.length;
  }
  get branches(): number {
    return this.#branches;
  }

  /**
   * Keeps each path's cells in the path's order, which is the order of the sums in attention. A new token goes to the first free cell, so a
   * cell freed before the path's own would break the order: freed cells stay buried until room is short.
   */
  set keepsOrder(keeps: boolean) {
    this.#keepsOrder = keeps;
    if (!keeps) this.#sweep();
  }

  match(tokens: readonly number[]): PrefixMatch {
    return this.#reach(this.#root, tokens);
  }

  /** Matches the path below a branch, which others may have computed further. */
  ahead(branch: Branch, tokens: readonly number[]): PrefixMatch {
    return this.#reach(branch.segment, tokens);
  }

  /** Starts a branch over the first `length` tokens, which must be cached. Needs a free sequence. */
  fork(tokens: readonly number[], length: number, search: string): Branch {
    const { segment, inSegment } = descend(this.#root, tokens, length);
    assert(segment.start + inSegment === length, 'fork below what is cached');
    const sequence = this.#freeSequences.pop();
    assert(sequence !== undefined, 'fork without a free sequence');
    const end = inSegment === segment.tokens.length ? segment : split(segment, inSegment);
    if (length > 0) {
      const source = anyBranchBelow(end);
      source.lastUse = this.#uses.take();
      this.#memory.copy(source.sequence, sequence, 0, length);
    }
    const branch: Branch = { sequence, segment: end, search, lastUse: this.#uses.take() };
    end.ends.add(branch);
    countReferences(end, 1);
    this.#branches += 1;
    return branch;
  }

  /** Extends the branch over tokens that others have computed, sharing their cells; all of them must be cached. */
  advance(branch: Branch, tokens: readonly number[], length: number): void {
    const before = this.lengthOf(branch);
    if (length <= before) return;
    const { segment, inSegment } = descend(branch.segment, tokens, length);
    assert(segment.start + inSegment === length, 'advance beyond what is cached');
    const end = inSegment === segment.tokens.length ? segment : split(segment, inSegment);
    this.#memory.copy(anyBranchBelow(end).sequence, branch.sequence, before, length);
    this.#moveBranch(branch, end);
  }

  lengthOf(branch: Branch): number {
    return branch.segment.start + branch.segment.tokens.length;
  }

  append(branch: Branch, tokens: readonly number[]): void {
    const end = branch.segment;
    const grows = end !== this.#root && end.references === 1 && end.children.size === 0;
    const target = grows ? end : makeSegment(end, this.lengthOf(branch), []);
    if (!grows) this.#moveBranch(branch, target);
    for (const token of tokens) {
      target.tokens.push(token);
      target.rows.push(undefined);
    }
    this.#usedCells += tokens.length;
    assert(this.#usedCells <= this.#options.cells, 'more cells counted than there are');
  }

  keepRow(branch: Branch, row: Float32Array): void {
    const { rows } = branch.segment;
    this.#rows.forget(rows.at(-1));
    rows[rows.length - 1] = this.#rows.keep(row);
  }

  truncate(branch: Branch, length: number): void {
    if (length >= this.lengthOf(branch)) return;
    let target = branch.segment;
    while (target.start >= length && target.parent !== undefined) target = target.parent;
    const inSegment = length - target.start;
    const end = inSegment < target.tokens.length ? split(target, inSegment) : target;
    this.#forget(branch.sequence, length);
    this.#moveBranch(branch, end);
  }

  /** Ends a run. Its branch stays as a cached prefix, unless the same search has the same path cached already. */
  settle(branch: Branch): void {
    branch.lastUse = this.#uses.take();
    if (branch.segment === this.#root || isCovered(branch.segment) || isHeldByOwn(branch)) this.drop(branch);
    else this.#idle.add(branch);
  }

  drop(branch: Branch): void {
    this.#idle.delete(branch);
    this.#forget(branch.sequence, 0);
    const end = branch.segment;
    end.ends.delete(branch);
    countReferences(end, -1);
    this.#prune(end);
    this.#freeSequences.push(branch.sequence);
    this.#branches -= 1;
  }

  release(search: string): void {
    for (const branch of [...this.#idle]) if (branch.search === search) this.drop(branch);
  }

  dropIdle(): void {
    for (const branch of [...this.#idle]) this.drop(branch);
  }

  /**
   * Drops the least useful idle prefixes until enough cells and sequences are free, or none is left. Prefixes of searches with nothing
   * running or waiting are less useful (P1 §5.3.2); among equals, the least recently used.
   */
  reclaim(cells: number, sequences: number, isActive: (search: string) => boolean): boolean {
    for (;;) {
      if (this.freeCells < cells) this.#sweep();
      if (this.freeCells >= cells && this.freeSequences >= sequences) return true;
      const victim = this.#leastUseful(this.freeCells < cells, isActive);
      if (victim === undefined) return false;
      this.drop(victim);
    }
  }

  /** Cells that dropping all idle branches would free, with the buried ones. */
  reclaimableCells(): number {
    const idleBelow = new Map<CacheSegment, number>();
    let cells = this.#buriedCells;
    for (const branch of this.#idle) {
      for (let at: CacheSegment | undefined = branch.segment; at !== undefined; at = at.parent) {
        const idle = (idleBelow.get(at) ?? 0) + 1;
        idleBelow.set(at, idle);
        if (at !== this.#root && idle === at.references) cells += at.tokens.length;
      }
    }
    return cells;
  }

  #leastUseful(mustFreeCells: boolean, isActive: (search: string) => boolean): Branch | undefined {
    let worst: Branch | undefined;
    let worstRank = Number.POSITIVE_INFINITY;
    for (const branch of this.#idle) {
      const sharesAll = branch.segment.references > 1;
      if (mustFreeCells && sharesAll) continue; // dropping it would free no cell
      // A branch that shares all its cells only costs a sequence: it goes first if sequences are short.
      const rank = (sharesAll ? 0 : isActive(branch.search) ? 2 : 1) * 2 ** 40 + branch.lastUse;
      if (rank < worstRank) {
        worst = branch;
        worstRank = rank;
      }
    }
    if (worst !== undefined || !mustFreeCells) return worst;
    // All remaining branches share their ends: dropping the last of them frees cells.
    for (const branch of this.#idle) if (worst === undefined || branch.lastUse < worst.lastUse) worst = branch;
    return worst;
  }

  #forget(sequence: number, from: number): void {
    if (this.#keepsOrder) this.#memory.bury(sequence, from);
    else this.#memory.remove(sequence, from);
    this.#hasBuried ||= this.#keepsOrder;
  }

  #sweep(): void {
    if (!this.#hasBuried) return;
    this.#memory.sweep();
    this.#hasBuried = false;
    this.#buriedCells = 0;
  }

  #reach(from: CacheSegment, tokens: readonly number[]): PrefixMatch {
    const { segment, inSegment } = descend(from, tokens, tokens.length);
    const length = segment.start + inSegment;
    // Only the last token's logits are needed; using earlier rows would keep useless ones.
    const row = length === tokens.length ? this.#rows.use(segment.rows[inSegment - 1]) : undefined;
    return { length, segment, row };
  }

  #moveBranch(branch: Branch, target: CacheSegment): void {
    const from = branch.segment;
    target.parent?.children.add(target);
    target.ends.add(branch);
    countReferences(target, 1);
    from.ends.delete(branch);
    countReferences(from, -1);
    branch.segment = target;
    this.#prune(from);
  }

  /** Removes segments without branches, from here towards the root. */
  #prune(segment: CacheSegment): void {
    for (let at = segment; at.parent !== undefined && at.references === 0; at = at.parent) {
      this.#usedCells -= at.tokens.length;
      if (this.#keepsOrder) this.#buriedCells += at.tokens.length;
      for (const row of at.rows) this.#rows.forget(row);
      at.parent.children.delete(at);
    }
  }
}
