// Best-first search over single draws. A rollout is one strand: it opens at the place with the highest prospect (prospect.ts), draws one
// step there, and goes on below what was drawn until its path ends or its score is 0. Nodes get further draws at any time, up to
// `fullAt`. It reads scores, counts and probabilities; visits and backed-up values play no part.

import { isBound } from '../../tree/aggregate.ts';
import type { Node } from '../../tree/node.ts';
import type { Strand } from '../../tree/strand.ts';
import type { Tree } from '../../tree/tree.ts';
import { chosenAnswer } from '../choice.ts';
import { defineProgram, type ProgramSize, usualSize } from '../definition.ts';
import { askBelow, foldLanded, followLanded, freeIndices, openAt, readyStrand, rolloutsLeft } from '../growth.ts';
import { type Prior, priorKnob } from '../prior.ts';
import type { Ask, Doomed, Expansion, Outcome, PathLimits, Program, StepReading } from '../program.ts';
import { isGivenUp, placeToGoOn, placeToOpen, roomBeside, widest } from './prospect.ts';

/** A node is full at 8 times `branching`. */
interface BestFirstOptions
  extends Pick<ProgramSize, 'rollouts' | 'branching' | 'maxDepth' | 'maxPathTokens' | 'sampling' | 'choose'> {
  readonly prior: Prior;
}

export const bestFirst = defineProgram({
  name: 'best-first',
  summary: 'best-first search: one step at a time, drawn where a new one is most likely to bring something',
  needsVerifier: true,
  expandsOnce: true,
  takesTemperature: true,
  options: { prior: priorKnob },
  // A rollout is one path; a rollout of MCTS asks for `branching` steps at every node of its own.
  pathsPerRollout: (branching) => branching,
  create: (size, options) => createBestFirst({ ...size, ...options }),
});

const defaults: BestFirstOptions = { ...usualSize, rollouts: 64, branching: 4, prior: 'logprob' };

export function createBestFirst(options: Partial<BestFirstOptions> = {}): Program {
  return new BestFirst({ ...defaults, ...options });
}

class BestFirst implements Program {
  readonly name = bestFirst.name;
  readonly needsVerifier = true;
  readonly reads: readonly StepReading[];
  readonly expandsOnce = false;
  readonly fullAt: number;
  readonly naturalWidth = 1;
  readonly paths: PathLimits;
  readonly #options: BestFirstOptions;

  constructor(options: BestFirstOptions) {
    this.#options = options;
    this.reads = options.prior === 'logprob' ? ['logprobs'] : [];
    this.fullAt = options.branching * widest;
    this.paths = options;
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    for (let ready = readyStrand(tree, followLanded); ready !== undefined; ready = readyStrand(tree, followLanded)) {
      const ask = this.#goOn(tree, ready, doomed);
      if (ask !== undefined) return ask;
    }
    const { rollouts } = this.#options;
    if (!mayOpen || rolloutsLeft(tree, this.#options.rollouts) <= 0 || isGivenUp(tree, rollouts)) return undefined;
    const node = placeToOpen(tree.root, { ...this.#options, doomed });
    return node && this.#draw(tree, openAt(tree, node));
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    return foldLanded(tree, outcome, this.#options);
  }

  /** The draws of the next rollouts, as if each of them were answered by nothing: what it would lead to is not known. */
  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[] {
    const drawn = new Map<Node, number>();
    for (let draws = Math.min(count, rolloutsLeft(tree, this.#options.rollouts)); draws > 0; draws -= 1) {
      const node = placeToOpen(tree.root, { ...this.#options, drawn, doomed });
      if (node === undefined) break;
      drawn.set(node, (drawn.get(node) ?? 0) + 1);
    }
    const { sampling } = this.#options;
    return [...drawn].map(([node, draws]) => ({ node, indices: freeIndices(node, draws), sampling }));
  }

  demand(tree: Tree): number {
    const room = Math.min(rolloutsLeft(tree, this.#options.rollouts), roomBeside(tree.root, this.#options));
    return Math.max(1, tree.strands.size + room);
  }

  answer(tree: Tree) {
    return chosenAnswer(tree, this.#options.choose);
  }

  /**
   * Draws below the node at which a rollout stands. A draw may have led it to a twin that has children: there it goes on as a new rollout
   * would from that node, and ends where nothing below can be drawn any more.
   */
  #goOn(tree: Tree, strand: Strand, doomed: Doomed | undefined): Ask | undefined {
    const { id, node: here } = strand;
    if (isHopeless(tree, here)) {
      // A hopeless rollout counts and is worth nothing, under every policy.
      tree.record({ type: 'closed', strand: id, closing: 'completed', value: 0 });
      return undefined;
    }
    const node = placeToGoOn(here, { ...this.#options, doomed });
    if (node === undefined) tree.record({ type: 'closed', strand: id, closing: 'ended' });
    else if (node !== here) tree.record({ type: 'moved', strand: id, node: node.id });
    return node && this.#draw(tree, strand);
  }

  #draw(tree: Tree, strand: Strand): Ask {
    return askBelow(tree, strand, freeIndices(strand.node, 1), this.#options.sampling);
  }
}

/** A line was false, and no line after it makes up for that. */
function isHopeless({ aggregation }: Tree, { score }: Node): boolean {
  return score === 0 && isBound(aggregation);
}
