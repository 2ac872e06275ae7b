// Breadth-first growth: the common part of beam search, DVTS, REBASE and the tree of thoughts. A level is a set of nodes with a number of children
// wanted below each. Once all children have arrived, the level's rule says which paths are finished and what the next level is. Levels follow from
// the tree alone: a rule reads only nodes and their keys. With fewer strands than nodes, a strand works on one node of the level after the other.

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
import { indicesOf, isAwaited, isGrowing, type LevelParent, landedIn, unoccupied, withStart } from './level-parents.ts';
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
  /** Nodes that await no child and still lack some: nothing was drawn yet, all draws failed, or some were preempted. */
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
  /** Complete levels by tree. They never change again; the cache saves computing them anew. */
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
    // Most calls find every strand waiting for children: skip computing the levels.
    if (!mayOpen && !hasIdle(tree)) return undefined;
    if (!this.#complete.has(tree)) this.#completeFinished(tree);
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
      // No node will need this strand: the log ended before the end of its last level was fully recorded.
      if (parents.length === 0) tree.record({ type: 'closed', strand: strand.id, closing: 'ended' });
    }
    return mayOpen && free !== undefined ? this.#askAt(tree, openAt(tree, free.node), free) : undefined;
  }

  /** A log may stop before a level's finished paths are all completed: completes the missing ones. */
  #completeFinished(tree: Tree): void {
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
    if (strand !== undefined && this.#hasNoDraws(tree, strand.node))
      tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
    const next = this.#levels(tree)[complete]?.next;
    if (next !== undefined) settle(tree, next);
    return next !== undefined;
  }

  /** First the nodes of this level without a strand, then the likely next level if no more children came. */
  foresee(tree: Tree, count: number): Expansion[] {
    const { parents, open, room } = this.#level(tree);
    const untaken = unoccupied(tree, open);
    const missing = parents.reduce((sum, parent) => sum + parent.draws - landedIn(parent), 0);
    const next = this.#rule.likely?.(parents, room, missing) ?? this.#rule.next(parents, room).going;
    const leading = this.#withIndices(tree, next);
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

  /** Certainty from the highest reward: P1's choice for REBASE, used for beams and subtrees too. */
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

  /** True while no draw below this node has arrived. */
  #hasNoDraws(tree: Tree, node: Node): boolean {
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

  /** All levels so far, the root's first. The last one is being expanded; it is empty when the search is over. */
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

  /** The next level, or the next round if the last level has no successors. */
  #following({ root }: Tree, levels: readonly SearchLevel[]): Pick<SearchLevel, 'parents' | 'room'> {
    const { rootDraws, width, rounds } = this.#rule;
    const last = levels.at(-1)?.next;
    if (rounds === undefined)
      return last === undefined
        ? { parents: [{ node: root, draws: rootDraws }], room: width }
        : { parents: last.going, room: last.room };
    const round = levels.filter(({ parents }) => parents[0]?.node === root).length;
    const isOver = last === undefined || last.going.length === 0;
    if (!isOver || round >= rounds.length)
      return { parents: withStart(last?.going ?? [], levels), room: last?.room ?? 0 };
    return { parents: withStart([{ node: root, draws: rounds[round]! }], levels), room: rounds[round]! };
  }

  /** Gives a predicted level its child indices, after those of earlier rounds. */
  #withIndices(tree: Tree, going: readonly LevelParent[]): readonly LevelParent[] {
    return this.#rule.rounds === undefined ? going : withStart(going, this.#levels(tree));
  }

  #levelAfter({ parents, room }: Pick<SearchLevel, 'parents' | 'room'>): SearchLevel {
    const growing = parents.filter(isGrowing);
    const next = growing.length === 0 ? this.#rule.next(parents, room) : undefined;
    return { parents, open: growing.filter((parent) => !isAwaited(parent)), room, next };
  }
}

/**
 * After a level: completes a strand for each finished path, moves one to each node that continues, and closes the rest. With fewer
 * strands than finished paths it opens new ones, since the number of finished paths must not depend on the width.
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

/** Uses the given strand, else an idle one (at this node if possible), else a new one. */
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
