// Training rollouts with shared beginnings: some samples grow from the root, the others branch off a finished path at a random step (Tree-GRPO, arXiv
// 2509.21240: its initial chains and expansions in one pass). Branching depends on no reward, so the leaves below a node are fair samples.

import { hash } from '@coppice/core/base';
import type { Answer } from '@coppice/core/log';
import {
  type Ask,
  askBelow,
  type Choice,
  chosenAnswer,
  type Doomed,
  defineProgram,
  type Expansion,
  foldOutcome,
  followLanded,
  freeIndex,
  type Outcome,
  openAt,
  type PathLimits,
  type Program,
  type ProgramSize,
  readyStrand,
  type StepReading,
} from '@coppice/core/program';
import {
  type Belief,
  byKey,
  type Conclusion,
  hasEnded,
  type Node,
  type Sampling,
  type Tree,
  treeBelief,
} from '@coppice/core/tree';

interface TreeSamplesOptions {
  readonly rollouts: number;
  /** Samples that start at the root. */
  readonly roots: number;
  readonly maxDepth: number;
  readonly maxPathTokens?: number | undefined;
  readonly sampling: Sampling;
  readonly choose: Choice;
  readonly needsVerifier: boolean;
  /** Rollouts after which a search ends if all scores are alike; 0 is never. */
  readonly settleAfter: number;
}

/** Nodes get children at any time. Paths are not independent: those with the same beginning share its luck. */
const shape = {
  expandsOnce: false,
  takesTemperature: true,
  keepsRollouts: true,
} as const;

function optionsFor({ rollouts, branching, maxDepth, maxPathTokens, sampling, choose }: ProgramSize) {
  const roots = Math.ceil(rollouts / Math.max(1, branching));
  return { rollouts, roots, maxDepth, maxPathTokens, sampling, choose };
}

export const treeSamples = defineProgram({
  ...shape,
  name: 'tree-samples',
  summary: 'rollouts for training that branch off each other at random; needs no verifier',
  needsVerifier: false,
  options: {},
  create: (size) => new TreeSamples({ ...optionsFor(size), choose: 'vote', needsVerifier: false, settleAfter: 0 }),
});

export const scoredTreeSamples = defineProgram({
  ...shape,
  name: 'scored-tree-samples',
  summary: 'the same with scores; a group whose scores are all alike may end early',
  needsVerifier: true,
  options: {
    settleAfter: {
      default: 0,
      low: 0,
      high: 100_000,
      whole: true,
      unit: 'rollouts',
      client: 'coppice',
      why: 'a search whose rollouts all have the same score after so many ends: they teach nothing. 0 is never, since the next one might differ',
    },
  },
  create: (size, { settleAfter }) => new TreeSamples({ ...optionsFor(size), needsVerifier: true, settleAfter }),
});

class TreeSamples implements Program {
  readonly name: string;
  readonly needsVerifier: boolean;
  readonly reads: readonly StepReading[];
  readonly expandsOnce = shape.expandsOnce;
  readonly naturalWidth: number;
  readonly paths: PathLimits;
  readonly #options: TreeSamplesOptions;

  constructor(options: TreeSamplesOptions) {
    this.name = options.needsVerifier ? scoredTreeSamples.name : treeSamples.name;
    this.needsVerifier = options.needsVerifier;
    // Without scores, ties go to the answer with the higher likelihood.
    this.reads = options.needsVerifier ? [] : ['logprobs'];
    this.naturalWidth = options.roots;
    this.paths = options;
    this.#options = options;
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    const { sampling } = this.#options;
    const ready = readyStrand(tree, followLanded);
    if (ready !== undefined) return askBelow(tree, ready, [freeIndex(ready.node)], sampling);
    const node = mayOpen && tree.strands.size < this.naturalWidth ? this.#beginning(tree) : undefined;
    if (node === undefined || doomed?.(node)) return undefined;
    return askBelow(tree, openAt(tree, node), [freeIndex(node)], sampling);
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const strand = foldOutcome(tree, outcome, this.#options);
    if (strand !== undefined) followLanded(tree, strand);
    return strand !== undefined;
  }

  foresee(tree: Tree, count: number): Expansion[] {
    const { sampling } = this.#options;
    const node = count > 0 ? this.#beginning(tree) : undefined;
    return node === undefined ? [] : [{ node, indices: [freeIndex(node)], sampling }];
  }

  demand(): number {
    return this.naturalWidth;
  }

  belief(tree: Tree): Belief {
    return { ...treeBelief(tree), conclusion: () => this.#conclusion(tree) };
  }

  #conclusion(tree: Tree): Conclusion | undefined {
    const { settleAfter } = this.#options;
    const { completed: rollouts } = tree.closed;
    if (settleAfter === 0 || rollouts < settleAfter) return undefined;
    const scores = tree.nodes.filter((node) => node.parent !== undefined && hasEnded(node)).map(({ score }) => score);
    const [lowest, highest] = [Math.min(...scores), Math.max(...scores)];
    return highest - lowest < alike ? { rule: 'alike', evidence: { rollouts, lowest, highest } } : undefined;
  }

  answer(tree: Tree): Answer | undefined {
    return chosenAnswer(tree, this.#options.choose);
  }

  /** Start of the next rollout; undefined if none is left or no path is finished to branch from. */
  #beginning(tree: Tree): Node | undefined {
    const { rollouts, roots } = this.#options;
    const begun = tree.closed.completed + tree.closed.pruned + tree.strands.size;
    if (begun >= rollouts) return undefined;
    if (begun < roots) return tree.root;
    if (tree.closed.completed === 0) return undefined;
    const inner = tree.nodes.filter((node) => node.parent !== undefined && leadsToAnEnd(node)).sort(byKey);
    return inner[hash(tree.nextStrand, inner[0]?.key ?? 0) % Math.max(1, inner.length)] ?? tree.root;
  }
}

/** Smaller differences between scores count as none. */
const alike = 0.01;

function leadsToAnEnd({ children, visits, terminal }: Node): boolean {
  return !terminal && visits > 0 && children.length > 0;
}
