// Whole answers, each one draw below the root: the part of ask and tell of a program like panel. Which draw is next, who
// writes it and what it is shown is the program's; what an answer is worth, too. No verifier.

import { groupAnswers } from '../../answer/groups.ts';
import type { Answer } from '../../log/end.ts';
import { type Node, saysSomething } from '../../tree/node.ts';
import { type Belief, countedBelief, type PathVote, voteOf } from '../../tree/readings/certaindex.ts';
import type { Manner, Sampling } from '../../tree/step.ts';
import type { Tree } from '../../tree/tree.ts';
import { bestAnswer, certainAnswer } from '../choice.ts';
import { askBelow, foldLanded, followLanded, isTaken, openAt, readyStrand } from '../growth.ts';
import type { Ask, Doomed, Expansion, Outcome, Program } from '../program.ts';

export abstract class RootAnswers implements Omit<Program, 'name' | 'answer'> {
  readonly needsVerifier = false;
  readonly expandsOnce = false;
  readonly naturalWidth: number;
  readonly #sampling: Sampling;

  constructor(naturalWidth: number, sampling: Sampling) {
    this.naturalWidth = naturalWidth;
    this.#sampling = sampling;
  }

  /** Draws that may be asked for now, those on their way and those that have come included. */
  protected abstract round(tree: Tree): readonly number[];
  /** Writer of a draw, and the attempts that it is shown. */
  protected abstract mannerOf(tree: Tree, index: number): Manner;
  /** The answers that may be counted, in the order of their draws. */
  protected abstract votes(tree: Tree): PathVote[];

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    const ready = readyStrand(tree, followLanded);
    const [next] = this.#free(tree);
    if (next === undefined || (ready === undefined && (!mayOpen || doomed?.(tree.root)))) return undefined;
    return askBelow(tree, ready ?? openAt(tree, tree.root), [next], this.#sampling, this.mannerOf(tree, next));
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    return foldLanded(tree, outcome, { maxDepth: 1 }) || outcome.probe === true;
  }

  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[] {
    if (doomed?.(tree.root)) return [];
    const free = this.#free(tree).slice(0, count);
    return free.map((index) => {
      return { node: tree.root, indices: [index], sampling: this.#sampling, manner: this.mannerOf(tree, index) };
    });
  }

  demand(): number {
    return this.naturalWidth;
  }

  belief(tree: Tree): Belief {
    return countedBelief(() => this.votes(tree), 'none');
  }

  /** Draws of the round that are neither there nor on their way. */
  #free(tree: Tree): number[] {
    return this.round(tree).filter((index) => !isTaken(tree.root, index));
  }
}

/** Counts the first draws that have come without a gap. */
export function landedOf({ root }: Tree, most = Number.POSITIVE_INFINITY): number {
  let landed = 0;
  while (landed < most && root.byIndex?.has(landed)) landed += 1;
  return landed;
}

/** In the order of their draws, from one up to before another; twins are one node that stands here as often. */
export function answersOf({ root }: Tree, from: number, to: number): Node[] {
  const draws = Array.from({ length: to - from }, (_, at) => root.byIndex?.get(from + at));
  return draws.filter((node) => node !== undefined);
}

export function votesOf(answers: readonly Node[]): PathVote[] {
  return answers.filter(saysSomething).map(voteOf);
}

/** The majority's answer with its share of the votes; the best path where none says anything. */
export function votedAnswer(tree: Tree, votes: readonly PathVote[]): Answer | undefined {
  const [leader] = groupAnswers(votes);
  if (leader === undefined) return bestAnswer(tree);
  return { ...certainAnswer(tree, leader.votes[0]!.node.id), support: leader.weight / votes.length };
}
