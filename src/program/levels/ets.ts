// ETS, efficient tree search (Hooper et al., arXiv 2502.13575): REBASE that first drops the leaves which cost the cache more than they are
// worth. Of the leaves of a level it keeps the set S that maximises Σ of their REBASE weights − λc · nodes on their paths / nodes on all
// paths + λs · clusters that S covers / all clusters, then shares the budget out among S. The authors cluster steps by
// embeddings; here steps that name the same numbers, or where they name none the same words, are one cluster.

import { byKey, type NodeKey } from '../../tree/keys.ts';
import { type Node, pathTo } from '../../tree/node.ts';
import { defineProgram } from '../definition.ts';
import type { Program } from '../program.ts';
import { growLevels, type LevelOptions, levelDefaults, levelKnobs, levelShape, type NextLevel } from './levels.ts';
import type { Offshoot, Planting } from './plots.ts';
import { asOffshoot, balanceKnob, ended, likelyShares, rewardWeights, shareOut } from './rebase.ts';

export interface EtsOptions extends LevelOptions {
  /** Paths in all, and so draws of the root. */
  readonly paths: number;
  /** T of REBASE. */
  readonly balance: number;
  /** λc and λs. */
  readonly cacheWeight: number;
  readonly varietyWeight: number;
}

export const etsDefaults: EtsOptions = { ...levelDefaults, paths: 16, balance: 0.1, cacheWeight: 1, varietyWeight: 1 };

export const ets = defineProgram({
  ...levelShape,
  name: 'ets',
  summary:
    'rebase that drops the steps which cost more cache than they are worth, as long as every kind of step is kept',
  options: {
    ...levelKnobs,
    balance: balanceKnob,
    cacheWeight: {
      default: 1,
      low: 0,
      high: 100,
      client: 'coppice',
      unit: 'weight',
      why: "λc of ets: what all nodes on the paths of a level cost, in weights of its leaves: the authors' value",
    },
    varietyWeight: {
      default: 1,
      low: 0,
      high: 100,
      client: 'coppice',
      unit: 'weight',
      why: 'λs of ets: what covering every cluster of steps is worth; the authors tuned 1.4 to 1.5 for theirs, ours are finer',
    },
  },
  create: ({ rollouts: paths, branching: _, ...size }, options) => createEts({ ...size, paths, ...options }),
});

export function createEts(given: Partial<EtsOptions> = {}): Program {
  const options = { ...etsDefaults, ...given };
  const choices = new Choices(options);
  const next = (level: readonly Planting[], room: number): NextLevel => {
    const { finished, open, left } = ended(level, room);
    return { finished, going: shareOut(choices.of(open), left, options.balance), room: left };
  };
  const likely = (level: readonly Planting[], room: number, missing: number) => {
    const { open, left } = ended(level, room);
    return likelyShares(choices.of(open), left, options.balance, missing);
  };
  return growLevels(ets, { width: options.paths, rootDraws: options.paths, next, likely }, options);
}

/** Which leaves are kept. A program that is run ahead chooses among the same ones over and over, each time on another copy of its tree. */
class Choices {
  readonly #options: EtsOptions;
  readonly #known = new Map<string, ReadonlySet<NodeKey>>();

  constructor(options: EtsOptions) {
    this.#options = options;
  }

  of(open: readonly Offshoot[]): Offshoot[] {
    const nodes = open.map(({ node }) => node);
    const kept = this.#kept(nodes);
    return nodes
      .filter(({ key }) => kept.has(key))
      .sort(byKey)
      .map(asOffshoot);
  }

  /** A key says everything about a node but its reward. */
  #kept(nodes: readonly Node[]): ReadonlySet<NodeKey> {
    const among = nodes.map(({ key, reward }) => `${key} ${reward}`).join();
    const known = this.#known.get(among);
    if (known !== undefined) return known;
    const kept = new Set(selectLeaves(nodes, this.#options).kept.map(({ key }) => key));
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size >= rememberedChoices) this.#known.delete(oldest);
    this.#known.set(among, kept);
    return kept;
  }
}

const rememberedChoices = 64;

interface Leaf {
  readonly node: Node;
  readonly weight: number;
  readonly cluster: string;
  readonly path: readonly Node[];
}

interface KeptLeaves {
  readonly kept: readonly Node[];
  readonly value: number;
}

/** Up to so many leaves every set is weighed, by branch and bound. */
const exactLeaves = 16;

/**
 * Exact up to 16 leaves. Beyond that, leaves and whole subtrees are taken up and dropped, from all and from one, as long as the
 * value rises, and the better of the two ends is taken: what that misses is measured in ets.test.ts.
 */
export function selectLeaves(
  nodes: readonly Node[],
  { balance, cacheWeight, varietyWeight }: Pick<EtsOptions, 'balance' | 'cacheWeight' | 'varietyWeight'>,
  exactUpTo = exactLeaves,
): KeptLeaves {
  const leaves = leavesOf(nodes, balance);
  if (leaves.length < 2) return { kept: nodes, value: 0 };
  const nodeCost = cacheWeight / new Set(leaves.flatMap(({ path }) => path)).size;
  const clusterValue = varietyWeight / new Set(leaves.map(({ cluster }) => cluster)).size;
  const prices = { nodeCost, clusterValue };
  const found = leaves.length <= exactUpTo ? bestSet(leaves, prices) : climbedSet(leaves, prices);
  return { kept: found.set.map(({ node }) => node).sort(byKey), value: found.value };
}

interface Prices {
  readonly nodeCost: number;
  readonly clusterValue: number;
}

interface LeafSet {
  readonly set: readonly Leaf[];
  readonly value: number;
}

function bestSet(leaves: readonly Leaf[], prices: Prices): LeafSet {
  const ahead = gainsAhead(leaves, prices.nodeCost);
  const kinds = leaves.map((_, at) => new Set(leaves.slice(at).map(({ cluster }) => cluster)));
  let best: LeafSet = { set: [], value: Number.NEGATIVE_INFINITY };
  const look = (at: number, value: number, set: readonly Leaf[], seen: ReadonlySet<unknown>): void => {
    if (value > best.value && set.length > 0) best = { set, value };
    const leaf = leaves[at];
    if (leaf === undefined) return;
    const uncovered = [...kinds[at]!].filter((cluster) => !seen.has(cluster)).length;
    if (value + ahead[at]! + uncovered * prices.clusterValue <= best.value) return;
    look(at + 1, value + gainOf(leaf, seen, prices), [...set, leaf], new Set([...seen, leaf.cluster, ...leaf.path]));
    look(at + 1, value, set, seen);
  };
  look(0, 0, [], new Set());
  return best;
}

function climbedSet(leaves: readonly Leaf[], prices: Prices): LeafSet {
  const [down, up] = [climb(leaves, leaves, prices), climb(leaves, leaves.slice(0, 1), prices)];
  return down.value >= up.value ? down : up;
}

/** The best of these moves as long as it helps: all leaves below one node in or out, a leaf being such a node, and one leaf for another. */
function climb(leaves: readonly Leaf[], from: readonly Leaf[], prices: Prices): LeafSet {
  const inner = [...new Set(leaves.flatMap(({ path }) => path))];
  const groups = inner.map((node) => leaves.filter(({ path }) => path.includes(node)));
  let best: LeafSet = { set: from, value: valueOfSet(from, prices) };
  for (;;) {
    const { set, value } = best;
    for (const next of moves(set, leaves, groups)) {
      const gained = valueOfSet(next, prices);
      if (gained > best.value && next.length > 0) best = { set: next, value: gained };
    }
    if (best.value === value) return best;
  }
}

function* moves(set: readonly Leaf[], leaves: readonly Leaf[], groups: readonly Leaf[][]): Generator<readonly Leaf[]> {
  for (const group of groups) {
    const rest = set.filter((leaf) => !group.includes(leaf));
    yield rest;
    yield [...rest, ...group];
  }
  for (const out of set) {
    const rest = set.filter((leaf) => leaf !== out);
    for (const leaf of leaves) if (!set.includes(leaf)) yield [...rest, leaf];
  }
}

function valueOfSet(set: readonly Leaf[], prices: Prices): number {
  const seen = new Set<unknown>();
  let value = 0;
  for (const leaf of set) {
    value += gainOf(leaf, seen, prices);
    for (const each of [leaf.cluster, ...leaf.path]) seen.add(each);
  }
  return value;
}

/** What one more leaf brings to a set that has seen these clusters and nodes. */
function gainOf(
  { weight, cluster, path }: Leaf,
  seen: ReadonlySet<unknown>,
  { nodeCost, clusterValue }: Prices,
): number {
  const added = path.filter((each) => !seen.has(each)).length;
  return weight - added * nodeCost + (seen.has(cluster) ? 0 : clusterValue);
}

function leavesOf(nodes: readonly Node[], balance: number): Leaf[] {
  const weights = rewardWeights(nodes.map(asOffshoot), balance);
  const leaves = nodes.map((node, at) => ({
    node,
    weight: weights[at]!,
    cluster: clusterOf(node),
    path: pathTo(node),
  }));
  return leaves.sort((a, b) => b.weight - a.weight || byKey(a.node, b.node));
}

/** What the leaves from each place on bring at most, if each pays for its own node alone and covers nothing. */
function gainsAhead(leaves: readonly Leaf[], nodeCost: number): number[] {
  const ahead = leaves.map(() => 0);
  for (let at = leaves.length - 1; at >= 0; at -= 1) {
    ahead[at] = Math.max(0, leaves[at]!.weight - nodeCost) + (ahead[at + 1] ?? 0);
  }
  return ahead;
}

function clusterOf({ step }: Node): string {
  const text = (step?.text ?? '').toLowerCase();
  const numbers = text.match(/\d+(?:\.\d+)?/g);
  return numbers === null ? text.replace(/[^\p{L}]+/gu, ' ').trim() : numbers.sort().join(' ');
}
