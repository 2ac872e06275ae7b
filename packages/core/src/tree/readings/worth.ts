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
export interface Standing {
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
export function expectedNeed({ samples, lead, spent, judged }: Standing, price: number, most: number): number {
  for (let need = samples; need < most; need += 1) {
    const growth = need / samples;
    if (!isWorth(lead * (judged ? growth : Math.sqrt(growth)), spent * growth, price)) return need;
  }
  return most;
}

export interface Course {
  /** Where the rule has stopped, or after all samples that can be counted. */
  readonly standing: Standing;
  readonly isOver: boolean;
  /** Samples up to the end of the wave that is open. */
  readonly wanted: number;
}

const noSample: Standing = { samples: 0, lead: 0, spent: 0, judged: false };

/**
 * Takes the samples one by one, as if the rule had been read after each: the first at which another is not worth the price ends the
 * search. Waves: two samples, then half of those that the rule expects to need. `votes`: those of the samples, with their weights.
 */
export function courseOf(tree: Tree, votes: readonly PathVote[], price: number, most: number): Course {
  const weights = new Map(votes.map((vote) => [vote.node, vote]));
  const sums = new Map<string, number>();
  const { firstWave, wave } = worthConstants;
  let [standing, wanted] = [noSample, Math.min(firstWave, most)];
  for (const end of countedEnds(tree, most)) {
    standing = standingWith(standing, end, weights.get(end), sums);
    if (!isWorth(standing.lead, standing.spent, price)) return { standing, isOver: true, wanted: standing.samples };
    if (standing.samples < wanted) continue;
    const missing = expectedNeed(standing, price, most) - wanted;
    wanted = Math.min(most, wanted + Math.max(1, Math.ceil(missing * wave)));
  }
  return { standing, isOver: false, wanted };
}

/**
 * The samples that count, in their own order. One that failed or was given up in the middle holds up those behind it only while
 * others are open: then all that have ended count, or nothing would ever be opened again.
 */
export function countedEnds(tree: Tree, most?: number): readonly Node[] {
  const ends = sampleEnds(tree, most);
  const { completed, pruned } = tree.closed;
  if (tree.strands.size > 0 || ends.length >= Math.min(completed + pruned, most ?? completed + pruned)) return ends;
  const seen = new Map<Node, number>();
  for (const end of ends) seen.set(end, (seen.get(end) ?? 0) + 1);
  const behind = tree.nodes.filter((node) => node.terminal || node.pruned);
  return [
    ...ends,
    ...behind.flatMap((node) => Array<Node>(Math.max(0, node.count - (seen.get(node) ?? 0))).fill(node)),
  ].slice(0, most);
}

function standingWith(before: Standing, end: Node, vote: PathVote | undefined, sums: Map<string, number>): Standing {
  const meaning = vote && meaningOf(vote);
  if (vote !== undefined && meaning !== undefined) sums.set(meaning, (sums.get(meaning) ?? 0) + vote.weight);
  const [first = 0, second = 0] = [...sums.values()].sort((a, b) => b - a);
  const samples = before.samples + 1;
  const judged = before.judged || end.reward !== undefined;
  const spent = before.spent + end.pathTokens * (end.reward === undefined ? 1 : 1 + worthConstants.judgedToken);
  return { samples, lead: judged ? first - second : (first - second) / Math.sqrt(samples), spent, judged };
}
