// Places a tree tidily: parents in the middle above their children, siblings in order, subtrees as close as their outlines allow (Reingold and
// Tilford's rule), so that deep branches may lean over short ones. The unit is the smallest distance between neighbours on one level.
// Pure; a few milliseconds for thousands of nodes.

import type { Sprout } from './sprout.ts';

/** Outermost places of a subtree on each level, relative to its root. */
interface Outline {
  readonly left: number[];
  readonly right: number[];
}

export interface Extent {
  readonly minX: number;
  readonly maxX: number;
  readonly levels: number;
}

/** Neighbours of different parents are a little further apart, so that families show. */
const cousinGap = 1.35;

/** Sets `x` of every sprout; that of the root is 0. Expects parents before children, as `sproutsOf` returns them. */
export function layOut(sprouts: readonly Sprout[]): Extent {
  const outlines = new Map<Sprout, Outline>();
  for (let at = sprouts.length - 1; at >= 0; at -= 1) {
    const sprout = sprouts[at]!;
    outlines.set(sprout, join(sprout, outlines));
    for (const child of sprout.children) outlines.delete(child);
  }
  for (const sprout of sprouts) sprout.x += sprout.parent?.x ?? 0;
  const outline = outlines.get(sprouts[0]!);
  if (outline === undefined) return { minX: 0, maxX: 0, levels: 1 };
  return { minX: least(outline.left), maxX: most(outline.right), levels: outline.left.length };
}

/** Puts the children side by side and returns the common outline; each child's `x` becomes relative to its parent. */
function join(sprout: Sprout, outlines: ReadonlyMap<Sprout, Outline>): Outline {
  const { children } = sprout;
  const whole: Outline = { left: [], right: [] };
  for (const child of children) {
    const outline = outlines.get(child)!;
    child.x = distance(whole.right, outline.left);
    absorb(whole, outline, child.x);
  }
  const middle = children.length === 0 ? 0 : (children[0]!.x + children.at(-1)!.x) / 2;
  for (const child of children) child.x -= middle;
  return { left: [0, ...whole.left.map((x) => x - middle)], right: [0, ...whole.right.map((x) => x - middle)] };
}

/** Shift to the right that clears the subtrees already placed. */
function distance(right: readonly number[], left: readonly number[]): number {
  let needed = 0;
  for (let level = 0; level < right.length && level < left.length; level += 1) {
    needed = Math.max(needed, right[level]! - left[level]! + (level === 0 ? 1 : cousinGap));
  }
  return needed;
}

function absorb(whole: Outline, part: Outline, moved: number): void {
  for (let level = 0; level < part.left.length; level += 1) {
    const left = part.left[level]! + moved;
    const right = part.right[level]! + moved;
    whole.left[level] = Math.min(whole.left[level] ?? left, left);
    whole.right[level] = Math.max(whole.right[level] ?? right, right);
  }
}

function least(values: readonly number[]): number {
  return values.reduce((low, each) => Math.min(low, each), 0);
}

function most(values: readonly number[]): number {
  return values.reduce((high, each) => Math.max(high, each), 0);
}
