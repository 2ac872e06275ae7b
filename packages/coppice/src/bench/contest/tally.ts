// Sums up the trials of one contender: accuracy with its interval, latency, tokens of generator and verifier, exits.

import { meanOrZero } from '@coppice/core/base';
import { quantile, wilson } from '../statistics.ts';
import type { Trial } from './contest.ts';

export type Tally = ReturnType<typeof tally>;

/** Searches given up as futile, and their tokens. */
export interface Waste {
  readonly questions: number;
  readonly futile: number;
  readonly tokens: number;
}

/** `unsolved`: the solvable questions that no contender answered right. */
export function tally(contender: string, trials: readonly Trial[], unsolved: ReadonlySet<string> = new Set()) {
  const solvable = trials.filter((trial) => trial.solvable);
  const correct = solvable.filter((trial) => trial.correct).length;
  const latencies = trials.map((trial) => trial.latencyMs).sort((left, right) => left - right);
  const kinds = [...new Set(trials.map((trial) => trial.exit))].sort();
  return {
    contender,
    questions: trials.length,
    accuracy: wilson(correct, solvable.length),
    p50Ms: quantile(latencies, 0.5),
    p95Ms: quantile(latencies, 0.95),
    tokens: meanOrZero(trials.map((trial) => trial.generatedTokens)),
    computedTokens: meanOrZero(trials.map((trial) => trial.computedTokens)),
    scoredTokens: meanOrZero(trials.map((trial) => trial.scoredTokens)),
    bothTokens: meanOrZero(trials.map(({ generatedTokens, scoredTokens }) => generatedTokens + scoredTokens)),
    exits: Object.fromEntries<number>(
      kinds.map((kind) => [kind, trials.filter(({ exit }) => exit === kind).length / trials.length]),
    ),
    unsolvable: wasteOf(trials.filter((trial) => !trial.solvable)),
    unsolved: wasteOf(trials.filter(({ question }) => unsolved.has(question))),
  };
}

export function unsolvedIn(trials: readonly Trial[]): Set<string> {
  const solved = new Set(trials.filter(({ correct }) => correct).map(({ question }) => question));
  return new Set(
    trials.filter(({ solvable, question }) => solvable && !solved.has(question)).map((each) => each.question),
  );
}

function wasteOf(trials: readonly Trial[]): Waste {
  return {
    questions: trials.length,
    futile: meanOrZero(trials.map(({ exit }) => (exit === 'futile' ? 1 : 0))),
    tokens: meanOrZero(trials.map((trial) => trial.generatedTokens)),
  };
}
