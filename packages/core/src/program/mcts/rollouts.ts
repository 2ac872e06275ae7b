// Node-reusing MCTS, P0 appendix A. A rollout is one strand: it selects a leaf, expands it by several steps, follows the
// step with the highest reward, and expands again until it stands on a terminal node; then the score of that path is
// added to every node on it. Nodes made on the way stay. Serial search is the special case of one strand at a time.

import { byKey } from '../../tree/keys.ts';
import { mayGrow, type Node } from '../../tree/node.ts';
import { type Belief, treeBelief } from '../../tree/readings/certaindex.ts';
import type { Strand } from '../../tree/strand.ts';
import type { Tree } from '../../tree/tree.ts';
import { chosenAnswer } from '../choice.ts';
import type { ProgramDefinition, ProgramSize } from '../definition.ts';
import {
  askBelow,
  askProbe,
  complete,
  foldOutcome,
  follow,
  missingIndices,
  openAt,
  readyStrand,
  rolloutsLeft,
} from '../growth.ts';
import type { Ask, Doomed, Expansion, Outcome, PathLimits, Program, StepReading } from '../program.ts';
import { highestReward, type Play } from './play.ts';
import { type SelectionRule, selectLeaf } from './wu-puct.ts';

export interface MctsOptions
  extends SelectionRule,
    Pick<ProgramSize, 'rollouts' | 'branching' | 'maxDepth' | 'maxPathTokens' | 'sampling' | 'choose'> {}

type Named = Pick<ProgramDefinition, 'name' | 'needsVerifier'>;

export function playMcts(definition: Named, options: MctsOptions, play: Play): Program {
  return new Mcts(definition, options, play);
}

class Mcts implements Program {
  readonly name: string;
  readonly needsVerifier: boolean;
  readonly reads: readonly StepReading[];
  readonly expandsOnce = true;
  readonly naturalWidth = 1;
  readonly paths: PathLimits;
  readonly #options: MctsOptions;
  readonly #play: Play;

  constructor({ name, needsVerifier }: Named, options: MctsOptions, play: Play) {
    this.name = name;
    this.needsVerifier = needsVerifier;
    this.#options = options;
    this.#play = play;
    this.paths = options;
    this.reads = options.selection === 'puct' && options.prior === 'logprob' ? ['logprobs'] : [];
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    for (let ready = this.#ready(tree); ready !== undefined; ready = this.#ready(tree)) {
      const ask = this.#goOn(tree, ready);
      if (ask !== undefined) return ask;
    }
    if (!mayOpen) return undefined;
    const node = this.#select(tree, doomed);
    return node && this.#expand(tree, openAt(tree, node));
  }

  #select(tree: Tree, doomed: Doomed | undefined): Node | undefined {
    const left = rolloutsLeft(tree, this.#options.rollouts);
    if (left <= 0) return undefined;
    if (left === 1 && this.#play.probe !== undefined && tree.best === undefined) return bestLeaf(tree);
    return selectLeaf(tree.root, this.#ruleIn(tree), { doomed });
  }

  #ruleIn({ aggregation }: Tree): SelectionRule {
    const { value } = this.#play;
    return value === undefined ? this.#options : { ...this.#options, value: (node) => value(node, aggregation) };
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const strand = foldOutcome(tree, outcome, this.#options);
    if (strand !== undefined) this.#advance(tree, strand);
    if (outcome.probe) this.#endPlayed(tree, tree.node(outcome.node));
    return strand !== undefined || outcome.probe === true;
  }

  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[] {
    const likely = this.#likelyMoves(tree).slice(0, count);
    const imagined = new Map<Node, number>();
    let rollouts = rolloutsLeft(tree, this.#options.rollouts);
    while (likely.length < count && rollouts > 0) {
      const leaf = selectLeaf(tree.root, this.#ruleIn(tree), { imagined, doomed });
      if (leaf === undefined) break;
      for (let at: Node | undefined = leaf; at !== undefined; at = at.parent)
        imagined.set(at, (imagined.get(at) ?? 0) + 1);
      if (!likely.includes(leaf)) likely.push(leaf);
      rollouts -= 1;
    }
    return likely.map((node) => this.#expansionOf(node));
  }

  /** Counts open strands, and as many more as there are leaves to take up and rollouts left. */
  demand(tree: Tree): number {
    const open = tree.strands.size;
    return Math.max(1, open + Math.min(rolloutsLeft(tree, this.#options.rollouts), tree.root.available));
  }

  /** P1 takes the mean of the rewards. */
  belief(tree: Tree): Belief {
    return treeBelief(tree, this.needsVerifier ? 'mean' : 'none');
  }

  answer(tree: Tree) {
    return chosenAnswer(tree, this.#options.choose);
  }

  #ready(tree: Tree): Strand | undefined {
    return readyStrand(tree, (_tree, strand) => this.#advance(tree, strand), this.#play.worth);
  }

  /** The simulation phase: on to the best child. */
  #advance(tree: Tree, strand: Strand): void {
    const next = this.#bestChild(strand.node);
    if (next === undefined) tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
    else follow(tree, strand, next, this.#play.worth);
  }

  #bestChild({ children }: Node): Node | undefined {
    return (this.#play.next ?? highestReward)(children);
  }

  #goOn(tree: Tree, strand: Strand): Ask | undefined {
    const { start, node } = strand;
    // A log may end where a rollout was opened: there it expands, as it would have.
    const isPlayed = node !== start && this.#isPlayed(tree, node);
    return isPlayed ? this.#playOn(tree, strand) : this.#expand(tree, strand);
  }

  /** True where probes play rollouts on. The last one goes to the end of its path if none has been there. */
  #isPlayed({ closed, best }: Tree, { depth }: Node): boolean {
    const isLast = closed.completed + closed.pruned >= this.#options.rollouts - 1;
    return this.#play.probe !== undefined && depth > 0 && !(isLast && best === undefined);
  }

  /** A rollout that has come to a new step: what is asked there, and at last its end. */
  #playOn(tree: Tree, strand: Strand): Ask | undefined {
    const probe = this.#play.probe?.(strand.node);
    if (probe !== undefined) return askProbe(tree, strand, probe);
    complete(tree, strand, this.#play.worth);
    return undefined;
  }

  #endPlayed(tree: Tree, node: Node): void {
    for (const strand of [...tree.strands.values()]) {
      const isIdle = strand.node === node && strand.awaiting === 0 && strand.probing === undefined;
      if (isIdle && this.#isPlayed(tree, node) && this.#play.probe?.(node) === undefined)
        complete(tree, strand, this.#play.worth);
    }
  }

  #expand(tree: Tree, strand: Strand): Ask {
    const { indices, sampling, manner } = this.#expansionOf(strand.node);
    return askBelow(tree, strand, indices, sampling, manner);
  }

  #expansionOf(node: Node): Expansion {
    const { branching, sampling } = this.#options;
    return { node, indices: missingIndices(node, branching), sampling, manner: this.#play.manner?.(node) };
  }

  /** Nodes where the open rollouts go on if no sibling still in flight does better. */
  #likelyMoves(tree: Tree): Node[] {
    const moves: Node[] = [];
    if (this.#play.probe !== undefined) return moves;
    for (const strand of tree.strands.values()) {
      const next = strand.awaiting > 0 ? this.#bestChild(strand.node) : undefined;
      if (next !== undefined && !next.terminal) moves.push(next);
    }
    return moves.sort((a, b) => b.score - a.score || byKey(a, b));
  }
}

/** Once nothing else is open: the leaf with the highest score, of equals the deepest. */
function bestLeaf({ nodes, strands }: Tree): Node | undefined {
  if (strands.size > 0) return undefined;
  return nodes.filter(mayGrow).sort((a, b) => b.score - a.score || b.depth - a.depth || byKey(a, b))[0];
}
