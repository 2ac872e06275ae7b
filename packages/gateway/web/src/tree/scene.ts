// The tree as drawn: moves each sprout and strand to its place in the layout. A new child begins at its parent. Keeps no clock: time comes
// in as milliseconds since the last advance.

import type { SearchFold } from '@coppice/core/log';
import type { StrandId } from '@coppice/core/tree';
import { approach } from './approach.ts';
import { type Extent, layOut } from './layout.ts';
import { keyOfNode, type Sprout, sproutsOf } from './sprout.ts';

export interface Placed {
  readonly sprout: Sprout;
  x: number;
  depth: number;
}

const closeEnough = 0.004;

export class Scene {
  #placed = new Map<number, Placed>();
  #strands = new Map<StrandId, { x: number; depth: number; readonly at: number }>();
  extent: Extent = { minX: 0, maxX: 0, levels: 1 };
  inFlight = 0;

  get sprouts(): Iterable<Placed> {
    return this.#placed.values();
  }

  get size(): number {
    return this.#placed.size;
  }

  get strands(): Iterable<{ readonly x: number; readonly depth: number }> {
    return this.#strands.values();
  }

  at(key: number): Placed | undefined {
    return this.#placed.get(key);
  }

  show({ tree }: SearchFold): void {
    const before = this.#placed;
    this.#placed = new Map();
    this.inFlight = 0;
    if (tree === undefined) return;
    const sprouts = sproutsOf(tree);
    this.extent = layOut(sprouts);
    for (const sprout of sprouts) {
      const from = before.get(sprout.key) ??
        (sprout.parent && this.#placed.get(sprout.parent.key)) ?? { x: 0, depth: 0 };
      this.#placed.set(sprout.key, { sprout, x: from.x, depth: from.depth });
      if (sprout.kind === 'flight') this.inFlight += 1;
    }
    const strandsBefore = this.#strands;
    this.#strands = new Map();
    for (const { id, node } of tree.strands.values()) {
      const at = keyOfNode(node);
      const { x, depth } = strandsBefore.get(id) ?? this.#placed.get(at) ?? { x: 0, depth: 0 };
      this.#strands.set(id, { x, depth, at });
    }
  }

  /** True while anything still moves. */
  advance(elapsedMs: number): boolean {
    let moving = false;
    for (const placed of this.#placed.values()) {
      const { sprout } = placed;
      if (step(placed, sprout.x, sprout.depth, elapsedMs)) moving = true;
    }
    for (const strand of this.#strands.values()) {
      const goal = this.#placed.get(strand.at);
      if (goal !== undefined && step(strand, goal.x, goal.depth, elapsedMs)) moving = true;
    }
    return moving;
  }
}

function step(point: { x: number; depth: number }, x: number, depth: number, elapsedMs: number): boolean {
  if (point.x === x && point.depth === depth) return false;
  point.x = approach(point.x, x, elapsedMs);
  point.depth = approach(point.depth, depth, elapsedMs);
  if (Math.abs(point.x - x) + Math.abs(point.depth - depth) > closeEnough) return true;
  point.x = x;
  point.depth = depth;
  return false;
}
