import { expect, it } from 'vitest';
import { runTrial, trialDefaults } from '../sim/trial.ts';
import { tokenWaste, wasteLines } from './token-waste.ts';

it('divides all tokens by what one who knows the end would have computed', async () => {
  const size = { requests: 20, budget: 8, seeds: [3], settings: ['amc23/8b'], rows: ['positive', 'safe'] } as const;
  const found = await tokenWaste(
    { ...trialDefaults, ...size },
    { run: async (specs) => specs.map((spec) => runTrial(spec)) },
  );
  const [positive, safe] = found.map((each) => each.rightUntil + each.rightAfter + each.wrongFirst + each.wrongAfter);
  expect(safe).toBeLessThan(positive!);
  for (const { rightUntil, rightAfter, wrongFirst, wrongAfter } of found) {
    for (const each of [rightUntil, rightAfter, wrongFirst, wrongAfter]) expect(each).toBeGreaterThan(0);
  }
});

it('is a table with the share that was needed', () => {
  const lines = wasteLines([{ row: 'safe', rightUntil: 30, rightAfter: 40, wrongFirst: 10, wrongAfter: 20 }]);
  expect(lines.at(-1)).toBe('| safe | 100 | 30 | 40 | 10 | 20 | 40 % |');
});
