// What a setting gave on the questions that chose nothing, question by question against the search without it: points of
// accuracy lost and tokens saved, each with its 95 % interval.

import type { AnswerStanding } from './shadow.ts';

/** One question, answered without the setting and with it. */
export interface AnswerPair {
  readonly full: AnswerStanding;
  readonly exited: AnswerStanding & { readonly fired: boolean };
}

/** A mean with the ends of its 95 % interval. */
interface PairedInterval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface PairedReport {
  readonly questions: number;
  readonly pointsLost: PairedInterval;
  /** Per cent. */
  readonly tokensSaved: PairedInterval;
  /** Share of the searches that the rule ended. */
  readonly firedShare: number;
  /** Mean of a search. */
  readonly tokens: number;
}

const normal95 = 1.96;

export function reportOf(pairs: readonly AnswerPair[]): PairedReport {
  const questions = pairs.length;
  return {
    questions,
    pointsLost: pointsLost(pairs),
    tokensSaved: tokensSaved(pairs),
    firedShare: pairs.filter(({ exited }) => exited.fired).length / questions,
    tokens: pairs.reduce((sum, { exited }) => sum + exited.tokens, 0) / questions,
  };
}

/** The best of many was lucky too: what is chosen must keep within an interval that is wider by half. */
const caution = 1.5;

/** Points of accuracy that a setting may lose at worst, as far as the questions it is chosen on can tell. */
export function lossAtWorst({ pointsLost: { value, high } }: PairedReport): number {
  return value + caution * (high - value);
}

/**
 * Agresti and Min (2005) for a difference of paired shares: half a pair more of each kind that differs. Without any pair
 * that differs the interval still has a width, as it must have.
 */
function pointsLost(pairs: readonly AnswerPair[]): PairedInterval {
  const lost = pairs.filter(({ full, exited }) => full.right && !exited.right).length;
  const won = pairs.filter(({ full, exited }) => !full.right && exited.right).length;
  const [more, less, all] = [lost + 0.5, won + 0.5, pairs.length + 2];
  const middle = (more - less) / all;
  const half = (normal95 * Math.sqrt(more + less - (more - less) ** 2 / all)) / all;
  return { value: (100 * (lost - won)) / pairs.length, low: 100 * (middle - half), high: 100 * (middle + half) };
}

/** Of a ratio of sums: its residuals, question by question, over the mean of what it is a share of. */
function tokensSaved(pairs: readonly AnswerPair[]): PairedInterval {
  const sum = (read: (pair: AnswerPair) => number) => pairs.reduce((total, pair) => total + read(pair), 0);
  const full = sum((pair) => pair.full.tokens);
  const saved = 1 - sum(({ exited }) => exited.tokens) / full;
  const squares = sum(({ full: all, exited }) => (all.tokens - exited.tokens - saved * all.tokens) ** 2);
  const deviation = Math.sqrt(squares / Math.max(1, pairs.length - 1));
  const half = (normal95 * deviation * Math.sqrt(pairs.length)) / full;
  return { value: 100 * saved, low: 100 * (saved - half), high: 100 * (saved + half) };
}
