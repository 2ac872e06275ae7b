// Growth of searches: how fast they completed paths (P4 §6.1), how often speculative steps were used, and their tokens.

import {
  addGuesses,
  type Cost,
  type GrowthTotals,
  type Guesses,
  goodput,
  rightShares,
  sumOfGuesses,
} from '@coppice/core/log';
import { tableLines } from '../text-table.ts';

export interface TrialGrowth {
  /** Tokens of its completed paths, and the time from admission to the completion of each. */
  readonly pathTokens: number;
  readonly pathMs: number;
  /** Speculative steps, and those of them that the program then asked for. */
  readonly byDistance: readonly Guesses[];
  readonly byDepth: readonly Guesses[];
  readonly usedTokens: number;
  readonly wastedTokens: number;
}

export function trialGrowth({ pathTokens, pathMs, byDistance, byDepth }: GrowthTotals, cost: Cost): TrialGrowth {
  return {
    pathTokens,
    pathMs,
    byDistance,
    byDepth,
    usedTokens: cost.adoptedTokens ?? 0,
    wastedTokens: cost.speculativeTokens + (cost.forsakenTokens ?? 0),
  };
}

export function totalGrowth(all: readonly TrialGrowth[]): TrialGrowth {
  const of = (name: 'pathTokens' | 'pathMs' | 'usedTokens' | 'wastedTokens') =>
    all.reduce((sum, each) => sum + each[name], 0);
  const [byDistance, byDepth]: [Guesses[], Guesses[]] = [[], []];
  for (const each of all) {
    addGuesses(byDistance, each.byDistance);
    addGuesses(byDepth, each.byDepth);
  }
  const tokens = { usedTokens: of('usedTokens'), wastedTokens: of('wastedTokens') };
  return { pathTokens: of('pathTokens'), pathMs: of('pathMs'), byDistance, byDepth, ...tokens };
}

const mostAhead = 3;
const mostDepth = 6;

export function growthLines(contenders: readonly { contender: string; growth: TrialGrowth }[]): string[] {
  const grown = contenders.filter(({ growth }) => growth.pathMs > 0);
  if (!grown.some(({ growth }) => hasSpeculated(growth))) return [];
  const rows = grown.map(({ contender, growth }) => cellsOf(contender, growth));
  const right = ['right %', `1 to ${mostAhead} ahead %`, `at depth 1 to ${mostDepth} %`];
  const head = ['completed paths', 'goodput, tokens/s', 'guesses', ...right, 'tokens used', 'wasted'];
  return tableLines([head, ...rows]);
}

function hasSpeculated({ byDistance, usedTokens, wastedTokens }: TrialGrowth): boolean {
  return usedTokens + wastedTokens + sumOfGuesses(byDistance).guessed > 0;
}

function cellsOf(contender: string, growth: TrialGrowth): string[] {
  const { byDistance, byDepth, usedTokens, wastedTokens } = growth;
  const all = sumOfGuesses(byDistance);
  const ahead = hasSpeculated(growth);
  const shares = [rightShares([all], 1), rightShares(byDistance, mostAhead), rightShares(byDepth, mostDepth)];
  const speculated = [all.guessed, ...shares, usedTokens, wastedTokens].map((cell) => (ahead ? String(cell) : ''));
  return [contender, goodput(growth)?.toFixed(0) ?? '', ...speculated];
}
