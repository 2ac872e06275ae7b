// Whether another sample of a vote, or a reading by the judge, is worth its tokens. One line decides; its constants stand here too. Pure, and imports
// nothing.

export const worthConstants = {
  /** Growth of the leader's log odds against the second for each √n votes that it is ahead. */
  slope: 1.4,
  /** Chance that the judge turns the vote where nothing leads. */
  readingGain: 0.5,
  /** Samples of one answer that the judge reads at most. */
  reads: 4,
  /** Leading answers of which it reads samples. */
  contenders: 3,
  /** s of a weight odds^s where no audit has found another. */
  trust: 0.45,
  /** Scores are held between this and 1 less this: one sure score must not outvote all others. */
  leastScore: 0.01,
} as const;

export type WorthConstants = { readonly [name in keyof typeof worthConstants]: number };

/**
 * e^(−1.4 · lead) / spent: how likely the vote is still to change, over what it has cost to get here. A search goes on while this is at least its price.
 * Lead: the votes of the first answer less those of the second over √n, which tells them apart from chance. Dividing by what was spent ends questions that
 * nothing settles.
 */
export function worthOf(lead: number, spent: number, { slope }: WorthConstants = worthConstants): number {
  return Math.exp(-slope * lead) / spent;
}

/** The same of reading so many tokens, each at a judge's cost in generated ones. */
export function worthOfReading(lead: number, tokens: number, cost: number, constants: WorthConstants = worthConstants) {
  return constants.readingGain * worthOf(lead, cost * tokens, constants);
}

/** Odds^s of a score; one vote where nothing is trusted. */
export function weightOf(score: number, trust: number, { leastScore }: WorthConstants = worthConstants): number {
  const held = Math.min(1 - leastScore, Math.max(leastScore, score));
  return (held / (1 - held)) ** trust;
}

/** What a search knows after some samples. */
export interface VoteStanding {
  readonly ended: number;
  readonly lead: number;
  /** Tokens generated, and those that the judge read at what one of them costs. */
  readonly spent: number;
}

/** The smallest number of samples at which the line would stop if shares and lengths stayed as they are; `most` where it would not. */
export function expectedNeed({ ended, lead, spent }: VoteStanding, price: number, most: number): number {
  for (let count = ended + 1; count < most; count += 1) {
    const growth = count / ended;
    if (worthOf(lead * Math.sqrt(growth), spent * growth) < price) return count;
  }
  return most;
}
