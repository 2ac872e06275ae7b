// The ghosts of a tree: children that its program has not asked for yet, found by their draw, and by the key of the node that
// each would be. Only the fold (tree.ts) adds and deletes.

import { raise } from '../base/fault.ts';
import type { Ghost } from './events.ts';
import { type DrawKey, drawKey, type NodeKey } from './keys.ts';
import type { Node } from './node.ts';
import { mustBeReward } from './upkeep.ts';

export class Ghosts implements Iterable<[DrawKey, Ghost]> {
  readonly #byDraw: Map<DrawKey, Ghost>;
  /** Several draws may come out as the same node. Made when first asked for: a look ahead seldom does. */
  #byKey: Map<NodeKey, Set<DrawKey>> | undefined;

  constructor(ghosts: Iterable<[DrawKey, Ghost]> = []) {
    this.#byDraw = new Map(ghosts);
  }

  get size(): number {
    return this.#byDraw.size;
  }

  get(draw: DrawKey): Ghost | undefined {
    return this.#byDraw.get(draw);
  }

  has(draw: DrawKey): boolean {
    return this.#byDraw.has(draw);
  }

  values(): Iterable<Ghost> {
    return this.#byDraw.values();
  }

  [Symbol.iterator](): Iterator<[DrawKey, Ghost]> {
    return this.#byDraw[Symbol.iterator]();
  }

  ofNode(key: NodeKey): Ghost | undefined {
    if (this.#byDraw.size === 0) return undefined;
    this.#byKey ??= indexed(this.#byDraw);
    const [draw] = this.#byKey.get(key) ?? [];
    return draw === undefined ? undefined : this.#byDraw.get(draw);
  }

  /** `node`: its parent, where that is no ghost itself. One that does not fit is a FaultError and changes nothing. */
  add(event: Ghost, node: Node | undefined): void {
    const { key, parentKey, index, form, step, reward, feedback, terminal, answer } = event;
    const parent = node ?? this.ofNode(parentKey);
    if (parent === undefined || parent.terminal || node?.byIndex?.has(index)) {
      raise('bad-event', `child ${index} below key ${parentKey} cannot be a ghost`);
    }
    mustBeReward(reward);
    const ghost = { key, parentKey, index, form, step, terminal, reward, feedback, answer };
    const draw = drawKey(parentKey, index, form);
    this.#forget(draw);
    this.#byDraw.set(draw, ghost);
    if (this.#byKey !== undefined) addTo(this.#byKey, draw, ghost);
  }

  delete(draw: DrawKey): void {
    this.#forget(draw);
    this.#byDraw.delete(draw);
  }

  #forget(draw: DrawKey): void {
    const key = this.#byDraw.get(draw)?.key;
    const draws = key === undefined ? undefined : this.#byKey?.get(key);
    draws?.delete(draw);
    if (key !== undefined && draws?.size === 0) this.#byKey?.delete(key);
  }
}

function indexed(ghosts: Iterable<[DrawKey, Ghost]>): Map<NodeKey, Set<DrawKey>> {
  const byKey = new Map<NodeKey, Set<DrawKey>>();
  for (const [draw, ghost] of ghosts) addTo(byKey, draw, ghost);
  return byKey;
}

function addTo(byKey: Map<NodeKey, Set<DrawKey>>, draw: DrawKey, { key }: Ghost): void {
  byKey.set(key, (byKey.get(key) ?? new Set()).add(draw));
}
