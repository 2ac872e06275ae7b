// Computes the difference of two contenders' accuracies, with an interval paired by question: pairs that agree narrow it.

import { meanDifference } from '../statistics.ts';
import type { Trial } from './contest.ts';

/** From -1 to 1, over the solvable questions that both have answered. */
export function pairing(ours: readonly Trial[], theirs: readonly Trial[]) {
  const known = new Map(theirs.map((trial) => [trial.question, trial.correct]));
  const differences = ours
    .filter(({ solvable, question }) => solvable && known.has(question))
    .map(({ correct, question }) => Number(correct) - Number(known.get(question)));
  const won = differences.filter((each) => each > 0).length;
  const lost = differences.filter((each) => each < 0).length;
  const [contender, against] = [ours[0]?.contender ?? '', theirs[0]?.contender ?? ''];
  return { contender, against, questions: differences.length, difference: meanDifference(differences), won, lost };
}

export function pairingLine({ contender, difference, won, lost }: ReturnType<typeof pairing>): string {
  const points = (share: number) => `${share >= 0 ? '+' : '−'}${Math.abs(100 * share).toFixed(1)}`;
  const { value, low, high } = difference;
  if (Number.isNaN(value)) return `  ${contender.padEnd(28)} too few questions to compare`;
  return `  ${contender.padEnd(28)} ${points(value).padStart(6)} points [${points(low)}, ${points(high)}], ${won} won, ${lost} lost`;
}
