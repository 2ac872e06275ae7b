// The worth of another sample, in one line: e^(-b · lead) / tokens spent. A search that votes goes on while that is at least its price.
// Read off samples in their own order, never in that of their arrival, so that the same samples stop at the same place. Pure.

import { meaningOf } from '../../answer/groups.ts';
import type { Node } from '../node.ts';
import type { Tree } from '../tree.ts';
import { type PathVote, sampleEnds } from './certaindex.ts';

/** Found on recorded samples of four sets of questions; whoever changes one of them measures all four again. */
export const worthConstants = {
  /** b: growth of the leader's log odds with its lead. */
  slope: 1.4,
  /** Cost of a token that the judge reads, in generated ones. */
  judgedToken: 1,
  firstWave: 2,
  /** Part of the samples that are expected to be needed which the next wave draws. */
  wave: 0.5,
} as const;

/** A vote after its first so many samples. */
export interface VoteStanding {
  readonly samples: number;
  /** Judged: the leader's weights less those of the second. Blind: the same in votes, over √samples. */
  readonly lead: number;
  /** Tokens of both models. */
  readonly spent: number;
  readonly judged: boolean;
}

export function isWorth(lead: number, spent: number, price: number): boolean {
  return Math.exp(-worthConstants.slope * lead) / spent >= price;
}

/** The smallest number of samples at which the rule would stop if shares stayed as they are, `most` at most. */
export function expectedNeed({ samples, lead, spent, judged }: VoteStanding, price: number, most: number): number {
  for (let need = samples; need < most; need += 1) {
    const growth = need / samples;
    if (!isWorth(lead * (judged ? growth : Math.sqrt(growth)), spent * growth, price)) return need;
  }
  return most;
}

const noSample: VoteStanding = { samples: 0, lead: 0, spent: 0, judged: false };

/**
 * Takes the samples one by one, as if the rule had been read after each: the first at which another is not worth the price ends the
 * search. `votes`: those of the samples, with their weights. Gives the vote as it stands there, and how many samples are `wanted` up to the end
 * of the open wave: two first, then half of those that the rule expects to need.
 */
export function courseOf(tree: Tree, votes: readonly PathVote[], price: number, most: number) {
  const weights = new Map(votes.map((vote) => [vote.node, vote]));
  const sums = new Map<string, number>();
  const { firstWave, wave } = worthConstants;
  let [standing, wanted] = [noSample, Math.min(firstWave, most)];
  for (const end of countedEnds(tree)) {
    standing = standingWith(standing, end, weights.get(end), sums);
    if (!isWorth(standing.lead, standing.spent, price)) return { standing, isOver: true, wanted: standing.samples };
    if (standing.samples < wanted) continue;
    const missing = expectedNeed(standing, price, most) - wanted;
    wanted = Math.min(most, wanted + Math.max(1, Math.ceil(missing * wave)));
  }
  return { standing, isOver: false, wanted };
}

/**
 * The samples that count, in their own order. Behind one that failed in the middle none would ever count: then all that have ended do,
 * as soon as none is open.
 */
export function countedEnds(tree: Tree): readonly Node[] {
  const ends = sampleEnds(tree);
  const { completed, pruned } = tree.closed;
  if (tree.strands.size > 0 || ends.length >= completed + pruned) return ends;
  const all = tree.nodes.filter((node) => node.terminal || node.pruned);
  return all.flatMap((node) => Array<Node>(node.count).fill(node));
}

function standingWith(
  before: VoteStanding,
  end: Node,
  vote: PathVote | undefined,
  sums: Map<string, number>,
): VoteStanding {
  const meaning = vote && meaningOf(vote);
  if (vote !== undefined && meaning !== undefined) sums.set(meaning, (sums.get(meaning) ?? 0) + vote.weight);
  const [first = 0, second = 0] = [...sums.values()].sort((a, b) => b - a);
  const samples = before.samples + 1;
  const judged = before.judged || end.reward !== undefined;
  const spent = before.spent + end.pathTokens * (end.reward === undefined ? 1 : 1 + worthConstants.judgedToken);
  return { samples, lead: judged ? first - second : (first - second) / Math.sqrt(samples), spent, judged };
}
