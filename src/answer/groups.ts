// Groups of answers that mean the same, heaviest first: majority with weight 1 each, a weighted vote with scores.

import { canonical } from './canonical.ts';

export interface Vote {
  readonly answer: string;
  /** Not negative; 1 for a plain majority. */
  readonly weight: number;
}

export interface AnswerGroup<Each extends Vote> {
  readonly key: string;
  readonly weight: number;
  readonly votes: readonly Each[];
}

/** By weight, then by the number of votes, then the earliest. */
export function groupAnswers<Each extends Vote>(votes: Iterable<Each>): AnswerGroup<Each>[] {
  const groups = new Map<string, { key: string; weight: number; votes: Each[] }>();
  for (const vote of votes) {
    const key = canonical(vote.answer);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { key, weight: vote.weight, votes: [vote] });
    } else {
      group.weight += vote.weight;
      group.votes.push(vote);
    }
  }
  return [...groups.values()].sort((a, b) => b.weight - a.weight || b.votes.length - a.votes.length);
}
