// What going on from another sample's middle is worth against a fresh one, by votes that branched (tree/readings/branching.ts): the chance
// of being right, less for what it repeats, over what it costs. Pure.

import { mean } from '../base/arithmetic.ts';
import type { BranchAudit } from '../tree/readings/branching.ts';

export interface BranchWorth {
  readonly searches: number;
  /** Undefined while too few are known. */
  readonly worth?: number;
  /** The lower end of its interval is above 1. */
  readonly pays: boolean;
}

const leastSearches = 100;
/** Parts of the jackknife; standard errors to the lower end of an interval of 95 % on one side. */
const parts = 20;
const errors = 1.65;

export function branchWorth(audits: readonly BranchAudit[]): BranchWorth {
  const searches = audits.length;
  if (searches < leastSearches) return { searches, pays: false };
  const worth = worthIn(audits);
  const without = Array.from({ length: parts }, (_, part) =>
    worthIn(audits.filter((_audit, at) => at % parts !== part)),
  );
  const middle = mean(without);
  const error = Math.sqrt((parts - 1) * mean(without.map((each) => (each - middle) ** 2)));
  return Number.isFinite(worth) ? { searches, worth, pays: worth - errors * error > 1 } : { searches, pays: false };
}

function worthIn(audits: readonly BranchAudit[]): number {
  const of = (share: Exclude<keyof BranchAudit, 'tokens'>) => mean(audits.map((each) => each[share]));
  const [fresh, below] = [of('fresh'), of('below')];
  // Two draws of one question are right together so often if they share its difficulty alone, as fresh draws tell it.
  const difficulty = (of('oneOfEach') - below * fresh) ** 2 / (of('bothFresh') - fresh ** 2);
  const apart = below ** 2 + difficulty;
  const repeats = (of('bothBelow') - apart) / (below - apart);
  const [cost, usual] = [0, 1].map((at) => mean(audits.map(({ tokens }) => tokens[at]!)));
  return (Math.max(0, 1 - repeats) * below) / fresh / (cost! / usual!);
}

export function branchSentence({ searches, worth, pays }: BranchWorth): string {
  const far =
    searches < leastSearches ? `${searches} of ${leastSearches} searches so far` : `${searches} searches tell nothing`;
  if (worth === undefined) return `whether branching pays is unknown: ${far}`;
  const told = `going on from another sample's middle is worth ${worth.toFixed(2)} of a fresh one`;
  return `${told} in ${searches} searches, ${pays ? 'so votes branch' : 'so votes do not branch'}`;
}
