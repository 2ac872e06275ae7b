// What growing came to in the searches of a contest: how fast they completed paths (P4 §6.1), how often what was grown ahead was
// right, and its tokens, those that were used and those that were not.

import type { Cost } from '../../log/end.ts';
import { type GrowthTotals, goodput } from '../../log/growth-meter.ts';

/** Of one search, or the sum over several. */
export interface TrialGrowth {
  /** Tokens of its completed paths, and the time from admission to the completion of each. */
  readonly pathTokens: number;
  readonly pathMs: number;
  /** Steps that were there before the program asked for them, and those of them that it came to ask for. */
  readonly guessed: number;
  readonly right: number;
  readonly usedTokens: number;
  readonly wastedTokens: number;
}

export function trialGrowth({ pathTokens, pathMs, byDepth }: GrowthTotals, cost: Cost): TrialGrowth {
  return {
    ...{ pathTokens, pathMs },
    guessed: sum(byDepth.map(({ guessed }) => guessed)),
    right: sum(byDepth.map(({ right }) => right)),
    usedTokens: cost.adoptedTokens ?? 0,
    wastedTokens: cost.speculativeTokens + (cost.forsakenTokens ?? 0),
  };
}

export function totalGrowth(all: readonly TrialGrowth[]): TrialGrowth {
  const of = (name: keyof TrialGrowth) => sum(all.map((each) => each[name]));
  return {
    ...{ pathTokens: of('pathTokens'), pathMs: of('pathMs'), guessed: of('guessed'), right: of('right') },
    ...{ usedTokens: of('usedTokens'), wastedTokens: of('wastedTokens') },
  };
}

/** A row for each contender that completed a path. Ghosts are what had come before it was asked for; tokens count what was adopted on its way too. */
export function growthLines(contenders: readonly { contender: string; growth: TrialGrowth }[]): string[] {
  const rows = contenders
    .filter(({ growth }) => growth.pathMs > 0)
    .map(({ contender, growth }) => cellsOf(contender, growth));
  if (rows.length === 0) return [];
  const head = ['completed paths', 'goodput, tokens/s', 'ghosts', 'right %', 'tokens used', 'wasted'];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]!.length)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd(),
  );
}

function cellsOf(contender: string, growth: TrialGrowth): string[] {
  const { guessed, right, usedTokens, wastedTokens } = growth;
  const ahead = usedTokens + wastedTokens + guessed > 0;
  const share = guessed === 0 ? '' : ((100 * right) / guessed).toFixed(0);
  const speculated = [guessed, share, usedTokens, wastedTokens].map((cell) => (ahead ? String(cell) : ''));
  return [contender, goodput(growth)?.toFixed(0) ?? '', ...speculated];
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
