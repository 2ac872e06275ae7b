// Counts judged and accepted drafted tokens by their place in the draft, the first at 0.

export class DraftTally {
  readonly judgedAt: number[] = [];
  readonly acceptedAt: number[] = [];

  judge(place: number, accepted: boolean): void {
    addAt(this.judgedAt, place, 1);
    if (accepted) addAt(this.acceptedAt, place, 1);
  }

  add({ judgedAt, acceptedAt }: DraftTally): void {
    for (const [place, count] of judgedAt.entries()) addAt(this.judgedAt, place, count);
    for (const [place, count] of acceptedAt.entries()) addAt(this.acceptedAt, place, count);
  }

  get draftedTokens(): number {
    return sumOf(this.judgedAt);
  }

  get acceptedTokens(): number {
    return sumOf(this.acceptedAt);
  }
}

function addAt(counts: number[], place: number, count: number): void {
  while (counts.length <= place) counts.push(0);
  counts[place]! += count;
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, each) => sum + each, 0);
}
