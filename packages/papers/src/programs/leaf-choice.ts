// Chooses leaves that are worth the nodes leading to them: the set with the largest Σ weights − price of every node on its paths + value of
// every cluster that it covers. `bestSet` is exact, and its time doubles with every leaf; `climbedSet` is a heuristic for more leaves.

import type { Node } from '@coppice/core/tree';

export interface Leaf {
  readonly node: Node;
  readonly weight: number;
  readonly cluster: string;
  readonly path: readonly Node[];
}

interface LeafPrices {
  readonly nodeCost: number;
  readonly clusterValue: number;
}

interface LeafSet {
  readonly set: readonly Leaf[];
  readonly value: number;
}

export function bestSet(leaves: readonly Leaf[], prices: LeafPrices): LeafSet {
  const ahead = gainsAhead(leaves, prices.nodeCost);
  const kinds = leaves.map((_, at) => new Set(leaves.slice(at).map(({ cluster }) => cluster)));
  const kept = new KeptSet(prices);
  let best: LeafSet = { set: [], value: Number.NEGATIVE_INFINITY };
  const look = (at: number, value: number): void => {
    if (value > best.value && kept.leaves.size > 0) best = { set: [...kept.leaves], value };
    const leaf = leaves[at];
    if (leaf === undefined) return;
    const uncovered = [...kinds[at]!].filter((cluster) => !kept.holds(cluster)).length;
    if (value + ahead[at]! + uncovered * prices.clusterValue <= best.value) return;
    const gain = kept.take([leaf]);
    look(at + 1, value + gain);
    kept.drop([leaf]);
    look(at + 1, value);
  };
  look(0, 0);
  return best;
}

/** Upper bound on the value of the leaves from each place on, as if each paid for its own node alone. */
function gainsAhead(leaves: readonly Leaf[], nodeCost: number): number[] {
  const ahead = leaves.map(() => 0);
  for (let at = leaves.length - 1; at >= 0; at -= 1) {
    ahead[at] = Math.max(0, leaves[at]!.weight - nodeCost) + (ahead[at + 1] ?? 0);
  }
  return ahead;
}

/** The better result of two climbs: from all leaves, and from the first one alone. */
export function climbedSet(leaves: readonly Leaf[], prices: LeafPrices): LeafSet {
  const [down, up] = [climb(leaves, leaves, prices), climb(leaves, leaves.slice(0, 1), prices)];
  return down.value >= up.value ? down : up;
}

interface Move {
  readonly dropped: readonly Leaf[];
  readonly taken: readonly Leaf[];
  readonly gain: number;
}

/** Smaller gains are rounding errors. */
const noGain = 1e-9;

/** Makes the best move while one helps: adds or removes all leaves below one node, or swaps two leaves. */
function climb(leaves: readonly Leaf[], from: readonly Leaf[], prices: LeafPrices): LeafSet {
  const groups = groupsOf(leaves);
  const kept = new KeptSet(prices);
  let value = kept.take(from);
  for (;;) {
    let best: Move | undefined;
    const weigh = (move: Move): void => {
      if (move.gain > (best?.gain ?? noGain)) best = move;
    };
    for (const group of groups) weighGroup(kept, group, weigh);
    for (const out of [...kept.leaves]) weighSwaps(kept, out, leaves, weigh);
    if (best === undefined) return { set: [...kept.leaves], value };
    value += best.gain;
    kept.drop(best.dropped);
    kept.take(best.taken);
  }
}

function groupsOf(leaves: readonly Leaf[]): readonly (readonly Leaf[])[] {
  const below = new Map<Node, Leaf[]>();
  for (const leaf of leaves) {
    for (const node of leaf.path) below.set(node, [...(below.get(node) ?? []), leaf]);
  }
  return [...below.values()];
}

function weighGroup(kept: KeptSet, group: readonly Leaf[], weigh: (move: Move) => void): void {
  const dropped = group.filter((leaf) => kept.leaves.has(leaf));
  const taken = group.filter((leaf) => !kept.leaves.has(leaf));
  if (dropped.length < kept.leaves.size) {
    weigh({ dropped, taken: [], gain: kept.drop(dropped) });
    kept.take(dropped);
  }
  weigh({ dropped: [], taken, gain: kept.take(taken) });
  kept.drop(taken);
}

function weighSwaps(kept: KeptSet, out: Leaf, leaves: readonly Leaf[], weigh: (move: Move) => void): void {
  const loss = kept.drop([out]);
  for (const leaf of leaves) {
    if (leaf !== out && !kept.leaves.has(leaf))
      weigh({ dropped: [out], taken: [leaf], gain: loss + kept.gainOf(leaf) });
  }
  kept.take([out]);
}

/** A set of leaves with counts per node and cluster: adding or removing a leaf takes time linear in its path. */
class KeptSet {
  readonly leaves = new Set<Leaf>();
  readonly #uses = new Map<Node | string, number>();
  readonly #prices: LeafPrices;

  constructor(prices: LeafPrices) {
    this.#prices = prices;
  }

  holds(cluster: string): boolean {
    return this.#uses.has(cluster);
  }

  gainOf({ weight, cluster, path }: Leaf): number {
    const { nodeCost, clusterValue } = this.#prices;
    let added = 0;
    for (const node of path) if (!this.#uses.has(node)) added += 1;
    return weight - added * nodeCost + (this.#uses.has(cluster) ? 0 : clusterValue);
  }

  take(leaves: readonly Leaf[]): number {
    let gain = 0;
    for (const leaf of leaves) {
      gain += this.gainOf(leaf);
      this.leaves.add(leaf);
      this.#count(leaf, 1);
    }
    return gain;
  }

  drop(leaves: readonly Leaf[]): number {
    let gain = 0;
    for (const leaf of leaves) {
      this.leaves.delete(leaf);
      this.#count(leaf, -1);
      gain -= this.gainOf(leaf);
    }
    return gain;
  }

  #count({ cluster, path }: Leaf, by: 1 | -1): void {
    this.#use(cluster, by);
    for (const node of path) this.#use(node, by);
  }

  #use(what: Node | string, by: 1 | -1): void {
    const uses = (this.#uses.get(what) ?? 0) + by;
    if (uses > 0) this.#uses.set(what, uses);
    else this.#uses.delete(what);
  }
}
