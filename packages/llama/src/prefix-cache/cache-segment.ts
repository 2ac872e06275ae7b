// The tree of token paths in the KV cache. A segment is a run of tokens without a fork; each cell belongs to exactly one segment. These functions
// walk and split the tree; prefix-store.ts counts cells and native sequences.

import { assert } from '@coppice/core/base';
import type { KeptRow } from './kept-rows.ts';

export interface CacheSegment {
  parent: CacheSegment | undefined;
  start: number;
  readonly tokens: number[];
  readonly children: Set<CacheSegment>;
  readonly ends: Set<Branch>;
  references: number;
  /** Logits kept after each token, for twins. */
  readonly rows: (KeptRow | undefined)[];
}

/** One native sequence: a path from the root to the end of a segment. */
export interface Branch {
  readonly sequence: number;
  segment: CacheSegment;
  search: string;
  lastUse: number;
}

interface SegmentPlace {
  readonly segment: CacheSegment;
  readonly inSegment: number;
}

export function makeSegment(
  parent: CacheSegment | undefined,
  start: number,
  tokens: number[],
  rows: (KeptRow | undefined)[] = [],
): CacheSegment {
  return { parent, start, tokens, children: new Set(), ends: new Set(), references: 0, rows };
}

/** Follows tokens from a segment as far as they are cached, at most to `limit` tokens from the root. */
export function descend(from: CacheSegment, tokens: readonly number[], limit: number): SegmentPlace {
  let segment = from;
  for (;;) {
    const end = segment.start + segment.tokens.length;
    if (end >= limit) return { segment, inSegment: segment.tokens.length };
    const next = bestChild(segment, tokens, limit);
    if (next === undefined) return { segment, inSegment: segment.tokens.length };
    if (next.inSegment < next.segment.tokens.length) return next;
    segment = next.segment;
  }
}

/** The child that shares the longest beginning: siblings may begin with the same tokens if they were generated side by side. */
function bestChild(segment: CacheSegment, tokens: readonly number[], limit: number): SegmentPlace | undefined {
  let best: SegmentPlace | undefined;
  for (const child of segment.children) {
    const common = commonLength(child.tokens, tokens, child.start, limit);
    if (common > (best?.inSegment ?? 0)) best = { segment: child, inSegment: common };
  }
  return best;
}

/** Number of our tokens that match `path` from `start` on, up to `limit`. */
export function commonLength(ours: readonly number[], path: readonly number[], start: number, limit: number): number {
  const longest = Math.min(ours.length, limit - start);
  let common = 0;
  while (common < longest && ours[common] === path[start + common]) common += 1;
  return common;
}

/** Splits a segment in two. The tail keeps its identity, so branches that end in it need no update. */
export function split(segment: CacheSegment, at: number): CacheSegment {
  const parent = segment.parent;
  assert(parent !== undefined && at > 0 && at < segment.tokens.length, 'a split inside a segment');
  const head = makeSegment(parent, segment.start, segment.tokens.splice(0, at), segment.rows.splice(0, at));
  head.references = segment.references;
  head.children.add(segment);
  parent.children.delete(segment);
  parent.children.add(head);
  segment.parent = head;
  segment.start += at;
  return head;
}

export function countReferences(segment: CacheSegment, change: number): void {
  for (let at: CacheSegment | undefined = segment; at !== undefined; at = at.parent) at.references += change;
}

/** True if a sibling has the same tokens, so dropping this segment loses nothing. */
export function isCovered(segment: CacheSegment): boolean {
  if (segment.references > 1 || segment.parent === undefined) return false;
  for (const sibling of segment.parent.children) {
    if (sibling === segment || sibling.tokens.length < segment.tokens.length) continue;
    if (segment.tokens.every((token, index) => sibling.tokens[index] === token)) return true;
  }
  return false;
}

/** True if another branch of the same search passes through this one's end. */
export function isHeldByOwn(branch: Branch): boolean {
  const { ends, children } = branch.segment;
  for (const other of ends) if (other !== branch && other.search === branch.search) return true;
  for (const child of children) if (anyBranchBelow(child).search === branch.search) return true;
  return false;
}

export function anyBranchBelow(segment: CacheSegment): Branch {
  let at = segment;
  for (;;) {
    for (const branch of at.ends) return branch;
    let child: CacheSegment | undefined;
    for (const each of at.children) {
      child = each;
      break;
    }
    assert(child !== undefined, 'a segment that no branch passes');
    at = child;
  }
}
