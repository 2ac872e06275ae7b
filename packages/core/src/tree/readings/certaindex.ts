// Certainty of a program about its answer (certaindex, P1 §3.1), by signals that all lie in 0 to 1 and are 0 until there are two
// answers: how far its answers agree, and how much the verifier likes its completed paths. And which of its answers may be
// counted as votes, in an order that does not depend on who was faster.

import { AnswerTally } from '../../answer/entropy.ts';
import { meaningOf, type Vote } from '../../answer/groups.ts';
import { mean } from '../../base/arithmetic.ts';
import { hasEnded, type Node, saysSomething } from '../node.ts';
import type { Tree } from '../tree.ts';

/** A completed path that gives an answer; its weight is its score, 1 where nothing scores it. */
export interface PathVote extends Vote {
  readonly node: Node;
}

export interface Certainty {
  readonly answers: number;
  /** 1 minus the normalised entropy of the groups of answers. */
  readonly agreement: number;
  /** Undefined for a program without a verifier. */
  readonly reward?: number;
}

/** Combines the rewards of path ends: P1 takes the mean for MCTS and the maximum for REBASE; none without a verifier. */
type RewardSignal = 'mean' | 'maximum' | 'none';

/** A program's own rule by which it ends with the answer that it has, with numbers. */
export interface Conclusion {
  readonly rule: string;
  readonly evidence: Readonly<Record<string, number | string>>;
}

/** A program's view of its own answers, computed when a rule asks. The signals of certainty lie in 0 to 1, and are 0 until there are two answers. */
export interface Belief {
  /** The answers that may be counted, in an order that does not depend on who was faster. */
  votes(): readonly PathVote[];
  /** Reads all answers, or the first so many votes. */
  certainty(upTo?: number): Certainty;
  /** Read by the exit `concluded`. */
  conclusion?(): Conclusion | undefined;
}

/** Belief of a program whose paths are not independent samples: every answer of the tree counts. */
export function treeBelief(tree: Tree, signal: RewardSignal = 'mean', votesIn = treeVotes): Belief {
  const votes = () => votesIn(tree);
  const counted = countedBelief(votes, signal);
  const certainty = (upTo = Number.POSITIVE_INFINITY) =>
    upTo < tree.answers.answers ? counted.certainty(upTo) : certaintyOf(tree.answers, votes, signal);
  return { votes, certainty };
}

/** Belief by these votes alone. */
export function countedBelief(votes: () => readonly PathVote[], signal: RewardSignal): Belief {
  const certainty = (upTo?: number) => {
    const first = votes().slice(0, upTo);
    const tally = new AnswerTally();
    for (const vote of first) tally.add(vote);
    return certaintyOf(tally, () => first, signal);
  };
  return { votes, certainty };
}

function certaintyOf({ answers, agreement }: AnswerTally, votes: Belief['votes'], signal: RewardSignal): Certainty {
  if (signal === 'none') return { answers, agreement };
  return { answers, agreement, reward: answers < 2 ? 0 : rewardOf(votes(), signal) };
}

function rewardOf(votes: readonly PathVote[], signal: RewardSignal): number {
  const rewards = votes.map(({ node }) => node.reward ?? 0);
  return signal === 'maximum' ? Math.max(...rewards) : mean(rewards);
}

/** Every answer in the tree, once for each draw that gave it, in the order in which they came. */
export function treeVotes({ nodes }: Tree): PathVote[] {
  return nodes.filter(isEnd).flatMap(votesOf);
}

/** The same where a tree grows level by level: shallow ones first, in the order of their keys, never of their arrival. */
export function levelVotes({ nodes }: Tree): PathVote[] {
  const ends = nodes.filter(isEnd).sort((a, b) => a.depth - b.depth || a.key - b.key);
  return ends.flatMap(votesOf);
}

/** Counts the tree's answers that mean the same as this one, itself included; undefined where it says nothing. */
export function agreeing(tree: Tree, node: Node): { readonly same: number; readonly all: number } | undefined {
  if (!isEnd(node)) return undefined;
  const own = meaningOf(node);
  const votes = treeVotes(tree);
  return { same: votes.filter((vote) => meaningOf(vote) === own).length, all: votes.length };
}

function isEnd(node: Node): boolean {
  return hasEnded(node) && saysSomething(node);
}

function votesOf(node: Node): PathVote[] {
  return Array<PathVote>(node.count).fill(voteOf(node));
}

/**
 * The longest prefix of samples that have all come to their end. Samples that end early are the short ones, and short answers
 * are not like the others: counting whatever has come would favour them. Which sample is which follows from the child indices: the k-th sample
 * that comes to a node takes its child k, and a draw depends on its key alone. `taken`: children of each node that earlier samples took.
 */
export function sampleEnds(
  { root }: Pick<Tree, 'root'>,
  most = Number.POSITIVE_INFINITY,
  taken = new Map<Node, number>(),
): Node[] {
  const ends: Node[] = [];
  while (ends.length < most) {
    const end = nextSample(root, taken);
    if (end === undefined) break;
    ends.push(end);
  }
  return ends;
}

/** A sample that ends without an answer is no vote. */
export function sampleVotes(tree: Tree): PathVote[] {
  return sampleEnds(tree).filter(isEnd).map(voteOf);
}

/** The end of the next sample, a node where a rule has ended it too, or undefined where it is still on its way. */
function nextSample(root: Node, taken: Map<Node, number>): Node | undefined {
  let node: Node | undefined = root;
  while (node !== undefined && !node.terminal) {
    const index: number = taken.get(node) ?? 0;
    taken.set(node, index + 1);
    const next: Node | undefined = node.byIndex?.get(index);
    if (next === undefined && node.pruned) return node;
    node = next;
  }
  return node;
}

export function voteOf(node: Node): PathVote {
  const { answer, group, reward, score } = node;
  return { answer, group, weight: reward === undefined ? 1 : score, node };
}
