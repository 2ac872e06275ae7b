// ETS, efficient tree search (Hooper et al., arXiv 2502.13575): REBASE that first drops the leaves that cost more cache than they are worth.
// From the leaves of a level it keeps the set S that maximises Σ of their REBASE weights − λc · nodes on their paths / nodes on all
// paths + λs · clusters that S covers / all clusters, then shares the budget among S. The authors cluster steps by embeddings; here a
// cluster is the steps that name the same numbers, or without numbers the same words.

import { defineProgram, type Program } from '@coppice/core/program';
import { byKey, type Node, type NodeKey, pathTo } from '@coppice/core/tree';
import type { DrawnChild, LevelParent } from '../levels/level-parents.ts';
import { type LevelOptions, levelDefaults, levelKnobs, levelShape, type NextLevel } from '../levels/level-rule.ts';
import { growLevels } from '../levels/levels.ts';
import { asDrawnChild, ended, likelyShares, rewardWeights, shareOut } from '../levels/rebase.ts';
import { bestSet, climbedSet, type Leaf } from './leaf-choice.ts';

interface EtsOptions extends LevelOptions {
  /** All paths, which are the draws of the root. */
  readonly paths: number;
  /** T in REBASE. */
  readonly balance: number;
  /** λc and λs. */
  readonly cacheWeight: number;
  readonly varietyWeight: number;
}

/** λc and T are the authors' values. They tuned λs to 1.4 to 1.5 for their clusters; ours are finer. */
const etsDefaults: EtsOptions = { ...levelDefaults, paths: 16, balance: 0.1, cacheWeight: 1, varietyWeight: 1 };

export const ets = defineProgram({
  ...levelShape,
  name: 'ets',
  summary:
    'rebase that drops the steps which cost more cache than they are worth, as long as every kind of step is kept',
  options: levelKnobs,
  create: ({ rollouts: paths, branching: _, ...size }, options) => createEts({ ...size, paths, ...options }),
});

export function createEts(given: Partial<EtsOptions> = {}): Program {
  const options = { ...etsDefaults, ...given };
  const choices = new Choices(options);
  const next = (level: readonly LevelParent[], room: number): NextLevel => {
    const { finished, open, left } = ended(level, room);
    return { finished, going: shareOut(choices.of(open), left, options.balance), room: left };
  };
  const likely = (level: readonly LevelParent[], room: number, missing: number) => {
    const { open, left } = ended(level, room);
    return likelyShares(choices.of(open), left, options.balance, missing);
  };
  return growLevels(ets, { width: options.paths, rootDraws: options.paths, next, likely }, options);
}

/** Caches the kept leaves: speculation repeats the same choice on copies of the tree. */
class Choices {
  readonly #options: EtsOptions;
  readonly #known = new Map<string, ReadonlySet<NodeKey>>();

  constructor(options: EtsOptions) {
    this.#options = options;
  }

  of(open: readonly DrawnChild[]): DrawnChild[] {
    const nodes = open.map(({ node }) => node);
    const kept = this.#kept(nodes);
    return nodes
      .filter(({ key }) => kept.has(key))
      .sort(byKey)
      .map(asDrawnChild);
  }

  /** The cache key adds reward and draws, which a node's own key does not identify. */
  #kept(nodes: readonly Node[]): ReadonlySet<NodeKey> {
    const among = nodes.map(({ key, reward, count }) => `${key} ${reward} ${count}`).join();
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

interface KeptLeaves {
  readonly kept: readonly Node[];
  readonly value: number;
}

/** Most leaves for the exact choice, by branch and bound. */
const exactLeaves = 16;

/**
 * Exact up to 16 leaves. Beyond that a climb adds and removes leaves and whole subtrees while the value rises, once from all leaves and
 * once from the first, and keeps the better result; ets.test.ts measures the loss.
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

function leavesOf(nodes: readonly Node[], balance: number): Leaf[] {
  const weights = rewardWeights(nodes.map(asDrawnChild), balance);
  const leaves = nodes.map((node, at) => ({
    node,
    weight: weights[at]!,
    cluster: clusterOf(node),
    path: pathTo(node),
  }));
  return leaves.sort((a, b) => b.weight - a.weight || byKey(a.node, b.node));
}

function clusterOf({ step }: Node): string {
  const text = (step?.text ?? '').toLowerCase();
  const numbers = text.match(/\d+(?:\.\d+)?/g);
  return numbers === null ? text.replace(/[^\p{L}]+/gu, ' ').trim() : numbers.sort().join(' ');
}
