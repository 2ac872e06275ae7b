// Two contenders over the same questions: the difference of their accuracies with an interval paired by question. A pair in
// which both are right or both wrong says nothing about who is better; the interval knows that, two single ones do not.

import type { Trial } from './contest.ts';
import type { Interval } from './tally.ts';

export interface Pairing {
  readonly contender: string;
  readonly against: string;
  readonly questions: number;
  /** Of accuracies, from -1 to 1. */
  readonly difference: Interval;
  readonly won: number;
  readonly lost: number;
}

const z = 1.96; // two-sided 95 %

/** Over the solvable questions that both have answered. */
export function pairing(ours: readonly Trial[], theirs: readonly Trial[]): Pairing {
  const known = new Map(theirs.map((trial) => [trial.question, trial.correct]));
  const differences = ours
    .filter(({ solvable, question }) => solvable && known.has(question))
    .map(({ correct, question }) => Number(correct) - Number(known.get(question)));
  const won = differences.filter((each) => each > 0).length;
  const lost = differences.filter((each) => each < 0).length;
  const [contender, against] = [ours[0]?.contender ?? '', theirs[0]?.contender ?? ''];
  return { contender, against, questions: differences.length, difference: meanOf(differences), won, lost };
}

/** The mean of differences with its 95 % interval; without any difference the interval is that of one pair in doubt. */
function meanOf(differences: readonly number[]): Interval {
  const { length } = differences;
  if (length < 2) return { value: Number.NaN, low: -1, high: 1 };
  const value = differences.reduce((sum, each) => sum + each, 0) / length;
  const variance = differences.reduce((sum, each) => sum + (each - value) ** 2, 0) / (length - 1);
  const half = z * Math.sqrt(Math.max(variance, 1 / length) / length);
  return { value, low: value - half, high: value + half };
}

export function pairingLine({ contender, difference, won, lost }: Pairing): string {
  const points = (share: number) => `${share >= 0 ? '+' : '−'}${Math.abs(100 * share).toFixed(1)}`;
  const { value, low, high } = difference;
  return `  ${contender.padEnd(28)} ${points(value).padStart(6)} points [${points(low)}, ${points(high)}], ${won} won, ${lost} lost`;
}
