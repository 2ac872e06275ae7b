// The token paths in the KV cache, as a tree of segments, and the native sequence of each. A prefix that many branches share is there once. A
// branch is one native sequence: a path from the root to the end of a segment. Idle branches stay as cached prefixes until room is needed.
// Decides and counts; only `SequenceMemory` changes the cache.

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

/** The cache operations that forking and forgetting need; `start`, `end` and `from` are positions. */
export interface SequenceMemory {
  /** Lets sequence `to`, which must hold exactly `start` positions, share the cells of `from` from there to `end`. */
  copy(from: number, to: number, start: number, end: number): void;
  /** Forgets what the sequence holds at positions from `from` on; cells that no sequence holds are free. */
  remove(sequence: number, from: number): void;
  /** The same, but cells that no sequence holds are not free before `sweep`. */
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
  /** Logits kept in rows, over all paths. */
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
  /** Buried cells: held by no sequence, and not free before `sweep`. */
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
   * Whether every path is to lie in the cache in its own order, which is that of the sums in attention. A new token goes to the first
   * free cell: one that was freed before cells of its path would break the order. So none is, until room is short.
   */
  set keepsOrder(keeps: boolean) {
    this.#keepsOrder = keeps;
    if (!keeps) this.#sweep();
  }

  match(tokens: readonly number[]): PrefixMatch {
    return this.#reach(this.#root, tokens);
  }

  /** Matches the path of a branch, which may go on where others have been. */
  ahead(branch: Branch, tokens: readonly number[]): PrefixMatch {
    return this.#reach(branch.segment, tokens);
  }

  /** A branch over the first `length` tokens, all of which must be cached. Needs a free sequence. */
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

  /** Moves the branch on along tokens that others have computed, all of which must be cached, to share their cells. */
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

  /** The branch is no longer run; it stays as a cached prefix, unless its search has the same path cached already. */
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
   * Drops the least useful idle prefixes until so many cells and sequences are free, or none is left. A prefix is less
   * useful when its search has nothing running or waiting (P1 §5.3.2), then when it was used longer ago.
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

  /** Cells that dropping every idle branch would free, and those that no branch holds any more. */
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
      if (mustFreeCells && sharesAll) continue; // it would free no cell
      // A branch whose cells all belong to others costs nothing but its sequence: first to go when those are short.
      const rank = (sharesAll ? 0 : isActive(branch.search) ? 2 : 1) * 2 ** 40 + branch.lastUse;
      if (rank < worstRank) {
        worst = branch;
        worstRank = rank;
      }
    }
    if (worst !== undefined || !mustFreeCells) return worst;
    // The branches that are left end at the same segment: the last one to be dropped frees its cells.
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
    // Before the last token the sampler needs no logits: using them would keep rows that are of no use.
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

  /** Removes segments that no branch passes any more, from here towards the root. */
  #prune(segment: CacheSegment): void {
    for (let at = segment; at.parent !== undefined && at.references === 0; at = at.parent) {
      this.#usedCells -= at.tokens.length;
      if (this.#keepsOrder) this.#buriedCells += at.tokens.length;
      for (const row of at.rows) this.#rows.forget(row);
      at.parent.children.delete(at);
    }
  }
}
