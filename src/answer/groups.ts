// Groups of answers that mean the same, heaviest first: majority with weight 1 each, a weighted vote with scores.

import { canonical } from './canonical.ts';

export interface Vote {
  readonly answer: string;
  /** Not negative; 1 for a plain majority. */
  readonly weight: number;
}

export interface AnswerGroup {
  /** As the first vote for it was written. */
  readonly answer: string;
  readonly key: string;
  readonly count: number;
  readonly weight: number;
}

/** By weight, then by count, then the earliest. */
export function groupAnswers(votes: Iterable<Vote>): AnswerGroup[] {
  const groups = new Map<string, { answer: string; key: string; count: number; weight: number }>();
  for (const { answer, weight } of votes) {
    const key = canonical(answer);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, { answer, key, count: 1, weight });
    } else {
      group.count += 1;
      group.weight += weight;
    }
  }
  return [...groups.values()].sort((a, b) => b.weight - a.weight || b.count - a.count);
}

export function majority(answers: Iterable<string>): AnswerGroup | undefined {
  return groupAnswers([...answers].map((answer) => ({ answer, weight: 1 })))[0];
}
