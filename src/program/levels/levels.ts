// Breadth-first growth, the part that beam search, DVTS and REBASE share. A level is a set of nodes, each with a number of
// children wanted below it; when all of them have been answered, the rule of the program says which paths are finished and what
// the next level is. The levels follow from the tree alone, and no rule may read anything but nodes and
// their keys. With fewer strands than nodes, a strand takes up one node of the level after the other.

import type { Knobs } from '../../base/knob.ts';
import { type Certainty, levelVotes, type PathVote, treeCertainty } from '../../tree/certainty.ts';
import { byKey } from '../../tree/keys.ts';
import { isExpanding, mayGrow, type Node } from '../../tree/node.ts';
import type { Manner, Sampling } from '../../tree/step.ts';
import type { Strand, Tree } from '../../tree/tree.ts';
import { type Choice, chosenAnswer } from '../choice.ts';
import type { ProgramDefinition } from '../definition.ts';
import { askBelow, foldOutcome, follow, type GrowthLimits, leastPromising, missingIndices, openAt } from '../growth.ts';
import type { Ask, Expansion, Outcome, Program } from '../program.ts';

/** What all breadth-first programs can be told. */
export interface LevelOptions extends GrowthLimits {
  /** Steps at the beginning of a path that have a limit of their own, and that limit; 0 steps is off. */
  readonly firstSteps: number;
  readonly firstStepTokens: number;
  readonly sampling: Sampling;
  readonly choose: Choice;
}

export const levelDefaults: LevelOptions = {
  ...{ maxDepth: 40, sampling: { temperature: 0.8 }, choose: 'best' },
  ...{ firstSteps: 0, firstStepTokens: 64 },
};

/** Varying granularity (P4 §3.1): the beginning of a path is verified in smaller pieces than the rest. */
export const levelKnobs = {
  firstSteps: {
    default: 0,
    low: 0,
    high: 1000,
    whole: true,
    client: 'coppice',
    unit: 'steps',
    why: 'at the beginning of a path, that are cut at firstStepTokens so that they are verified sooner: 0 is off; P4 takes 3',
  },
  firstStepTokens: {
    default: 64,
    low: 1,
    high: 100_000,
    whole: true,
    client: 'coppice',
    unit: 'tokens',
    why: "longest of the first steps that firstSteps counts, never longer than a step may be: P4's value",
  },
} as const satisfies Knobs;

/** All of them: they need scores, and no node gets more children once its level is complete. */
export const levelShape = { needsVerifier: true, expandsOnce: true, takesTemperature: true } as const;

/**
 * A beam is grown from the root to its end, a rollout from the leaf it took up: P0 §5.1 sets 8 beams beside 16 rollouts, and
 * so does this at every size.
 */
export const rolloutsPerBeam = 2;

/** A node of a level, with the number of children wanted below it; never terminal, at least one child. */
export interface Planting {
  readonly node: Node;
  readonly draws: number;
}

export interface NextLevel {
  /** Ends of finished paths, all of them terminal; one that stands for several paths appears as often. */
  readonly finished: readonly Node[];
  readonly going: readonly Planting[];
  /** What is left of the width for the levels below. */
  readonly room: number;
}

export interface LevelRule {
  /** Most nodes of a level: the natural width of the program. */
  readonly width: number;
  /** Children of the root. */
  readonly rootDraws: number;
  /** What follows a level whose nodes have all their children; `room` is `width` at first, then what this said last. */
  next(level: readonly Planting[], room: number): NextLevel;
}

export function growLevels(
  definition: Pick<ProgramDefinition, 'name'>,
  rule: LevelRule,
  options: LevelOptions,
): Program {
  return new Levels(definition.name, rule, options);
}

interface SearchLevel {
  readonly plots: readonly Planting[];
  /** Nodes that wait for no child and still want some: none was asked for, all failed, or the expansion was cut. */
  readonly unexpanded: readonly Planting[];
  readonly room: number;
  /** Undefined until every node of the level has been expanded. */
  readonly next: NextLevel | undefined;
}

class Levels implements Program {
  readonly name: string;
  readonly needsVerifier = levelShape.needsVerifier;
  readonly readsLogprobs = false;
  readonly expandsOnce = levelShape.expandsOnce;
  readonly naturalWidth: number;
  readonly maxPathTokens: number | undefined;
  readonly #rule: LevelRule;
  readonly #options: LevelOptions;
  /** Levels that are complete, by tree: they never change again, and are only kept so as not to be worked out again. */
  readonly #complete = new WeakMap<Tree, SearchLevel[]>();

  constructor(name: string, rule: LevelRule, options: LevelOptions) {
    this.name = name;
    this.naturalWidth = rule.width;
    this.maxPathTokens = options.maxPathTokens;
    this.#rule = rule;
    this.#options = options;
  }

  ask(tree: Tree, mayOpen: boolean): Ask | undefined {
    // Most calls find every node waiting for its children: no need to work out the levels for those.
    if (!mayOpen && !hasIdle(tree)) return undefined;
    const { plots, unexpanded } = this.#levels(tree).at(-1)!;
    const [free] = unoccupied(tree, unexpanded);
    for (const strand of tree.strands.values()) {
      if (strand.awaiting > 0) continue;
      const own = unexpanded.find(({ node }) => node === strand.node);
      if (own !== undefined) return this.#expand(tree, strand, own);
      if (free !== undefined) {
        tree.record({ type: 'moved', strand: strand.id, node: free.node.id });
        return this.#expand(tree, strand, free);
      }
      // Left over when a log ends in the middle of a level's end: no node will ever need it.
      if (plots.length === 0) tree.record({ type: 'closed', strand: strand.id, closing: 'ended' });
    }
    return mayOpen && free !== undefined ? this.#expand(tree, openAt(tree, free.node), free) : undefined;
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const strand = foldOutcome(tree, outcome, this.#options);
    if (strand === undefined) return false;
    const level = this.#levels(tree).find(({ plots }) => plots.some(({ node }) => node === strand.node));
    if (strand.node.children.length === 0) tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
    if (level?.next !== undefined) settle(tree, level.next);
    return level?.next !== undefined;
  }

  /** Nodes of this level that nobody has taken up, then what would follow if nothing more came. */
  foresee(tree: Tree, count: number): Expansion[] {
    const { plots, unexpanded, room } = this.#levels(tree).at(-1)!;
    const leading = this.#rule.next(plots, room).going;
    const next = [...unoccupied(tree, unexpanded), ...leading].slice(0, count);
    const { sampling } = this.#options;
    return next.map(({ node, draws }) => {
      const manner = this.#mannerOf(node);
      const wanted = { node, indices: missingIndices(node, draws), sampling };
      return manner === undefined ? wanted : { ...wanted, manner };
    });
  }

  /** A level has no more nodes than this to take up. */
  demand(): number {
    return this.naturalWidth;
  }

  yield(tree: Tree, count: number): number[] {
    return leastPromising(tree, count);
  }

  /** P1 takes the highest reward for REBASE; beams and subtrees are judged alike. */
  certainty(tree: Tree, upTo?: number): Certainty {
    return treeCertainty(tree, 'maximum', upTo, levelVotes);
  }

  votes(tree: Tree): PathVote[] {
    return levelVotes(tree);
  }

  answer(tree: Tree) {
    return chosenAnswer(tree, this.#options.choose);
  }

  #expand(tree: Tree, strand: Strand, { node, draws }: Planting): Ask {
    return askBelow(tree, strand, missingIndices(node, draws), this.#options.sampling, this.#mannerOf(node));
  }

  #mannerOf({ depth }: Node): Manner | undefined {
    const { firstSteps, firstStepTokens: maxTokens } = this.#options;
    return depth < firstSteps ? { maxTokens } : undefined;
  }

  /** All levels so far, from the root's to the one being expanded, which is empty when the search is over. */
  #levels(tree: Tree): readonly SearchLevel[] {
    const levels = this.#complete.get(tree) ?? [];
    this.#complete.set(tree, levels);
    for (;;) {
      const last = levels.at(-1);
      if (last?.plots.length === 0) return levels;
      const level = this.#levelAfter(tree, last?.next);
      if (level.next === undefined) return [...levels, level];
      levels.push(level);
    }
  }

  #levelAfter(tree: Tree, before: NextLevel | undefined): SearchLevel {
    const { rootDraws, width } = this.#rule;
    const { going: plots, room } = before ?? { going: [{ node: tree.root, draws: rootDraws }], room: width };
    const growing = plots.filter(({ node }) => mayGrow(node) && !wasPruned(node));
    const unexpanded = growing.filter(({ node }) => !isExpanding(node));
    const next = growing.length === 0 ? this.#rule.next(plots, room) : undefined;
    return { plots, unexpanded, room, next };
  }
}

/**
 * After a level: each finished path completes a strand, each node that goes on has one, and the rest are closed. Where there
 * are fewer strands than finished paths, one takes the place of another: how many paths a search has finished must not
 * depend on its width.
 */
function settle(tree: Tree, { finished, going }: NextLevel): void {
  const strands = [...tree.strands.values()];
  for (const node of finished) {
    const strand = strands.shift();
    if (strand !== undefined) follow(tree, strand, node);
    else tree.record({ type: 'closed', strand: openAt(tree, node).id, closing: 'completed' });
  }
  for (const [at, strand] of strands.entries()) {
    const plot = going[at];
    if (plot !== undefined) follow(tree, strand, plot.node);
    else tree.record({ type: 'closed', strand: strand.id, closing: 'ended' });
  }
}

function hasIdle(tree: Tree): boolean {
  for (const strand of tree.strands.values()) if (strand.awaiting === 0) return true;
  return false;
}

/** A strand was ended here before anything was asked: the node leaves its level, and is not taken up again. */
function wasPruned(node: Node): boolean {
  return node.visits > 0 && node.children.length === 0 && !isExpanding(node);
}

function unoccupied(tree: Tree, plots: readonly Planting[]): Planting[] {
  const occupied = new Set([...tree.strands.values()].map((strand) => strand.node));
  return plots.filter(({ node }) => !occupied.has(node));
}

/** By score, highest first; equals in the order of their keys, never of their arrival. */
export function byScore(a: Node, b: Node): number {
  return b.score - a.score || byKey(a, b);
}
