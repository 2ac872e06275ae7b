import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { printed } from '../experiment/table.ts';
import { runTrial } from '../sim/trial.ts';
import { type TokenWaste, waste, wasteTable } from './waste.ts';

it('divides all tokens by what one who knows the end would have computed', async () => {
  const size = { requests: 10, budget: 8, seeds: [3], settings: ['amc23/8b'], rows: ['positive', 'safe'] } as const;
  const plan = { ...planDefaults, ...size };
  const { found } = await measureAll(waste, plan, { pool: { run: async (spec) => runTrial(spec) } });
  const { wastes } = waste.report(found, plan).data as { wastes: TokenWaste[] };
  const [positive, safe] = wastes.map((each) => each.rightUntil + each.rightAfter + each.wrongFirst + each.wrongAfter);
  expect(safe).toBeLessThan(positive!);
  for (const { rightUntil, rightAfter, wrongFirst, wrongAfter } of wastes) {
    for (const each of [rightUntil, rightAfter, wrongFirst, wrongAfter]) expect(each).toBeGreaterThan(0);
  }
});

it('is a table with the share that was needed', () => {
  const table = wasteTable([{ row: 'safe', rightUntil: 30, rightAfter: 40, wrongFirst: 10, wrongAfter: 20 }]);
  expect(printed([table], 'markdown').split('\n').at(-1)).toBe('| safe | 100 | 30 | 40 | 10 | 20 | 40 % |');
});
