// Groups of answers that mean the same, heaviest first: majority with weight 1 each, a weighted vote with scores.

import { canonical } from './canonical.ts';

/** A path's statement: an answer, and the group of open answers that it was put into, where the search groups them (likeness.ts). */
export interface Said {
  readonly answer?: string | undefined;
  /** Key of the group's first member. */
  readonly group?: number | undefined;
}

export interface Vote extends Said {
  /** At least 0; 1 for a plain majority. */
  readonly weight: number;
}

/** Gives all that mean the same one name; undefined for what says nothing. */
export function meaningOf({ answer, group }: Said): string | undefined {
  if (group !== undefined) return `group<${group}>`;
  return answer === undefined ? undefined : canonical(answer);
}

/** Sorts groups by weight, then by the number of votes, then the earliest first. */
export function groupAnswers<Each extends Vote>(votes: Iterable<Each>) {
  const groups = new Map<string, { key: string; weight: number; votes: Each[] }>();
  for (const vote of votes) {
    const key = meaningOf(vote);
    if (key === undefined) continue;
    const group = groups.get(key) ?? { key, weight: 0, votes: [] };
    groups.set(key, group);
    group.weight += vote.weight;
    group.votes.push(vote);
  }
  return [...groups.values()].sort((a, b) => b.weight - a.weight || b.votes.length - a.votes.length);
}
