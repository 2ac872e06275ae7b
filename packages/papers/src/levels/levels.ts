// Breadth-first growth, the part that beam search, DVTS, REBASE and the tree of thoughts share. A level is a set of nodes, each with
// a number of children wanted below it; when all of them have been answered, its rule says which paths are finished and what the
// next level is. The levels follow from the tree alone, and no rule may read anything but nodes and
// their keys. With fewer strands than nodes, a strand takes up one node of the level after the other.

import { assert } from '@coppice/core/base';
import {
  type Ask,
  askBelow,
  askProbe,
  chosenAnswer,
  complete,
  type Expansion,
  foldOutcome,
  follow,
  isTaken,
  missingIndices,
  type OpenLevel,
  type Outcome,
  openAt,
  type PathLimits,
  type Program,
  type ProgramDefinition,
} from '@coppice/core/program';
import {
  type Belief,
  levelVotes,
  type Manner,
  type Node,
  namedSteps,
  type Strand,
  type Tree,
  treeBelief,
} from '@coppice/core/tree';
import { behind, indicesOf, isAwaited, isGrowing, type LevelParent, landedIn, unoccupied } from './level-parents.ts';
import { type LevelOptions, type LevelRule, levelShape, type NextLevel } from './level-rule.ts';

export function growLevels(
  definition: Pick<ProgramDefinition, 'name'>,
  rule: LevelRule,
  options: LevelOptions,
): Program {
  return new Levels(definition.name, rule, options);
}

interface SearchLevel {
  readonly parents: readonly LevelParent[];
  /** Nodes that wait for no child and still want some: none was asked for, all failed, or the expansion was cut. */
  readonly open: readonly LevelParent[];
  readonly room: number;
  /** Undefined until every node of the level has been expanded. */
  readonly next: NextLevel | undefined;
}

class Levels implements Program {
  readonly name: string;
  readonly needsVerifier = levelShape.needsVerifier;
  readonly expandsOnce: boolean;
  readonly naturalWidth: number;
  readonly paths: PathLimits;
  readonly #rule: LevelRule;
  readonly #options: LevelOptions;
  /** Levels that are complete, by tree: they never change again, and are only kept so as not to be worked out again. */
  readonly #complete = new WeakMap<Tree, SearchLevel[]>();

  constructor(name: string, rule: LevelRule, options: LevelOptions) {
    this.name = name;
    this.naturalWidth = rule.width;
    this.expandsOnce = rule.rounds === undefined;
    this.paths = options;
    this.#rule = rule;
    this.#options = options;
  }

  ask(tree: Tree, mayOpen: boolean): Ask | undefined {
    // Most calls find every node waiting for its children: no need to work out the levels for those.
    if (!mayOpen && !hasIdle(tree)) return undefined;
    if (!this.#complete.has(tree)) this.#makeUp(tree);
    const { parents, open } = this.#level(tree);
    const [free] = unoccupied(tree, open);
    for (const strand of tree.strands.values()) {
      if (isWaiting(strand)) continue;
      const own = open.find(({ node }) => node === strand.node);
      if (own !== undefined) return this.#askAt(tree, strand, own);
      if (free !== undefined) {
        tree.record({ type: 'moved', strand: strand.id, node: free.node.id });
        return this.#askAt(tree, strand, free);
      }
      // Left over when a log ends in the middle of a level's end: no node will ever need it.
      if (parents.length === 0) tree.record({ type: 'closed', strand: strand.id, closing: 'ended' });
    }
    return mayOpen && free !== undefined ? this.#askAt(tree, openAt(tree, free.node), free) : undefined;
  }

  /** A log may end in the middle of a level's end: paths that it had finished and not completed are completed first. */
  #makeUp(tree: Tree): void {
    const finished = this.#completeLevels(tree).flatMap(({ next }) => next?.finished ?? []);
    const times = Map.groupBy(finished, (node) => node);
    for (const [node, all] of times) {
      for (let left = all.length - node.visits; left > 0; left -= 1) completeAt(tree, node);
    }
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const complete = (this.#complete.get(tree) ?? this.#completeLevels(tree)).length;
    const strand = foldOutcome(tree, outcome, this.#options);
    if (strand === undefined && !outcome.probe) return false;
    if (strand !== undefined && this.#isBare(tree, strand.node))
      tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
    const next = this.#levels(tree)[complete]?.next;
    if (next !== undefined) settle(tree, next);
    return next !== undefined;
  }

  /** Nodes of this level that no strand has taken up, then what would follow if nothing more came. */
  foresee(tree: Tree, count: number): Expansion[] {
    const { parents, open, room } = this.#level(tree);
    const untaken = unoccupied(tree, open);
    const missing = parents.reduce((sum, parent) => sum + parent.draws - landedIn(parent), 0);
    const next = this.#rule.likely?.(parents, room, missing) ?? this.#rule.next(parents, room).going;
    const leading = this.#placed(tree, next);
    const sampled = [...untaken, ...leading].filter(({ node }) => this.#rule.list?.(node) === undefined);
    const { sampling } = this.#options;
    return sampled.slice(0, count).map((parent) => {
      const { node } = parent;
      return { node, indices: this.#missing(parent), sampling, manner: this.#mannerOf(node) };
    });
  }

  /** Draws of earlier rounds stand before `from`. Shares (`likely`) depend on all rewards of a level. */
  level(tree: Tree): OpenLevel {
    const { parents } = this.#level(tree);
    const draws = new Map(parents.map(({ node, draws, from = 0 }) => [node.key, from + draws]));
    return { draws, needsWhole: this.#rule.likely !== undefined };
  }

  demand(): number {
    return this.naturalWidth;
  }

  /** P1 takes the highest reward for REBASE; beams and subtrees are judged alike. */
  belief(tree: Tree): Belief {
    return treeBelief(tree, 'maximum', levelVotes);
  }

  answer(tree: Tree) {
    return chosenAnswer(tree, this.#options.choose);
  }

  #askAt(tree: Tree, strand: Strand, parent: LevelParent): Ask {
    const probe = this.#rule.list?.(parent.node);
    if (probe !== undefined) return askProbe(tree, strand, probe);
    return askBelow(tree, strand, this.#missing(parent), this.#options.sampling, this.#mannerOf(parent.node));
  }

  /** Nothing of what was asked below this node has come. */
  #isBare(tree: Tree, node: Node): boolean {
    const parent = this.#level(tree).parents.find((each) => each.node === node);
    return parent?.from === undefined ? node.children.length === 0 : landedIn(parent) === 0;
  }

  #missing(parent: LevelParent): number[] {
    const { node, draws, from } = parent;
    if (from !== undefined) return indicesOf(parent).filter((index) => !isTaken(node, index));
    const named = namedSteps(node).length;
    return missingIndices(node, named === 0 ? draws : Math.min(draws, named));
  }

  #mannerOf(node: Node): Manner | undefined {
    if (namedSteps(node).length > 0) return { proposed: true };
    const { firstSteps, firstStepTokens: maxTokens } = this.#options;
    return node.depth < firstSteps ? { maxTokens } : this.#rule.manner?.(node);
  }

  /** All levels so far, from the root's to the one being expanded, which is empty when the search is over. */
  #levels(tree: Tree): readonly SearchLevel[] {
    const levels = this.#complete.get(tree) ?? [];
    this.#complete.set(tree, levels);
    for (;;) {
      const last = levels.at(-1);
      if (last?.parents.length === 0) return levels;
      const level = this.#levelAfter(this.#following(tree, levels));
      if (level.next === undefined) return [...levels, level];
      levels.push(level);
    }
  }

  #level(tree: Tree): SearchLevel {
    const level = this.#levels(tree).at(-1);
    assert(level !== undefined, 'a search has a level');
    return level;
  }

  #completeLevels(tree: Tree): readonly SearchLevel[] {
    return this.#levels(tree).filter(({ next }) => next !== undefined);
  }

  /** The next level, or the next round where nothing is left to go on. */
  #following({ root }: Tree, levels: readonly SearchLevel[]): Pick<SearchLevel, 'parents' | 'room'> {
    const { rootDraws, width, rounds } = this.#rule;
    const last = levels.at(-1)?.next;
    if (rounds === undefined)
      return last === undefined
        ? { parents: [{ node: root, draws: rootDraws }], room: width }
        : { parents: last.going, room: last.room };
    const round = levels.filter(({ parents }) => parents[0]?.node === root).length;
    const isOver = last === undefined || last.going.length === 0;
    if (!isOver || round >= rounds.length) return { parents: behind(last?.going ?? [], levels), room: last?.room ?? 0 };
    return { parents: behind([{ node: root, draws: rounds[round]! }], levels), room: rounds[round]! };
  }

  /** A guess at the next level, behind the draws that its nodes have had. */
  #placed(tree: Tree, going: readonly LevelParent[]): readonly LevelParent[] {
    return this.#rule.rounds === undefined ? going : behind(going, this.#levels(tree));
  }

  #levelAfter({ parents, room }: Pick<SearchLevel, 'parents' | 'room'>): SearchLevel {
    const growing = parents.filter(isGrowing);
    const next = growing.length === 0 ? this.#rule.next(parents, room) : undefined;
    return { parents, open: growing.filter((parent) => !isAwaited(parent)), room, next };
  }
}

/**
 * After a level: each finished path completes a strand, each node that goes on has one, and the rest are closed. Where there
 * are fewer strands than finished paths, one takes the place of another: how many paths a search has finished must not
 * depend on its width.
 */
function settle(tree: Tree, { finished, going }: NextLevel): void {
  const strands = [...tree.strands.values()];
  for (const node of finished) completeAt(tree, node, strands.shift());
  for (const [at, strand] of strands.entries()) {
    const parent = going[at];
    if (parent !== undefined) follow(tree, strand, parent.node);
    else tree.record({ type: 'closed', strand: strand.id, closing: 'ended' });
  }
}

/** By the strand that stands there, else by this one, or by one of its own. */
function completeAt(tree: Tree, node: Node, strand = idleFor(tree, node)): void {
  if (strand?.node === node) complete(tree, strand);
  else if (strand !== undefined) follow(tree, strand, node);
  else complete(tree, openAt(tree, node));
}

function idleFor({ strands }: Tree, node: Node): Strand | undefined {
  const idle = [...strands.values()].filter((strand) => !isWaiting(strand));
  return idle.find((strand) => strand.node === node) ?? idle[0];
}

function hasIdle(tree: Tree): boolean {
  for (const strand of tree.strands.values()) if (!isWaiting(strand)) return true;
  return false;
}

function isWaiting({ awaiting, probing }: Strand): boolean {
  return awaiting > 0 || probing !== undefined;
}
