import { expect, it } from 'vitest';
import type { Cost } from '../../../../core/src/log/end.ts';
import { growthLines, totalGrowth, trialGrowth } from './trial-growth.ts';

const counts = { paths: 2, pathTokens: 300, pathMs: 2000, byDistance: [], byDepth: [] };
const cost = { speculativeTokens: 30, adoptedTokens: 120, forsakenTokens: 10 } as Cost;

it('adds up what was grown ahead over the searches of a contender, and leaves it blank where nothing was', () => {
  const byDistance = [
    { guessed: 3, right: 2 },
    { guessed: 1, right: 1 },
  ];
  const byDepth = [
    { guessed: 0, right: 0 },
    { guessed: 4, right: 3 },
  ];
  const one = trialGrowth({ ...counts, byDistance, byDepth }, cost);
  expect(one).toEqual({ pathTokens: 300, pathMs: 2000, byDistance, byDepth, usedTokens: 120, wastedTokens: 40 });
  const plain = trialGrowth(counts, { speculativeTokens: 0 } as Cost);
  const nothing = trialGrowth({ ...counts, pathTokens: 0, pathMs: 0 }, { speculativeTokens: 0 } as Cost);
  const lines = growthLines([
    { contender: 'ahead', growth: totalGrowth([one, one]) },
    { contender: 'plain', growth: totalGrowth([plain, plain]) },
    { contender: 'never', growth: nothing },
  ]);
  expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
    [
      ...['completed paths', 'goodput, tokens/s', 'guesses', 'right %', '1 to 3 ahead %', 'at depth 1 to 6 %'],
      ...['tokens used', 'wasted'],
    ],
    ['ahead', '150', '8', '75', '67, 100', '-, 75', '240', '80'],
    ['plain', '150'],
  ]);
  expect(growthLines([{ contender: 'never', growth: nothing }])).toEqual([]);
});
