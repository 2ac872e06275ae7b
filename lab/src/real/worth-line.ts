// Whether another sample of a vote is worth its tokens. One line decides; its constant and what it expects to need stand here too. Pure, and imports nothing.

/** Growth of the leader's log odds against the second for each reward, or each √n votes, that it is ahead. */
export const worthSlope = 1.4;

/** What a search knows after some samples. */
export interface VoteStanding {
  readonly ended: number;
  /** The leading answer's weight less the second's: rewards added up, or votes where no judge reads samples. */
  readonly ahead: number;
  readonly judged: boolean;
  /** Tokens generated, and those that the judge read at what one of them costs. */
  readonly spent: number;
}

/**
 * e^(−1.4 · lead) / spent: how likely the vote is still to change, over what it has cost to get here. A search goes on while this is at least its price.
 * Dividing by what was spent ends questions that nothing settles. Votes without a judge are told apart from chance by their lead over √n.
 */
export function worthOf({ ended, ahead, judged, spent }: VoteStanding): number {
  const lead = judged ? ahead : ahead / Math.sqrt(ended);
  return ended === 0 ? Number.POSITIVE_INFINITY : Math.exp(-worthSlope * lead) / spent;
}

/** The smallest number of samples at which the line would stop if shares and lengths stayed as they are; `most` where it would not. */
export function expectedNeed(standing: VoteStanding, price: number, most: number): number {
  const { ended, ahead, judged, spent } = standing;
  for (let count = ended + 1; count < most; count += 1) {
    const growth = count / ended;
    if (worthOf({ ended: count, ahead: ahead * growth, judged, spent: spent * growth }) < price) return count;
  }
  return most;
}
