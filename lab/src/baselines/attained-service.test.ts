import { expect, it } from 'vitest';
import { contenderOf } from '../sim/contenders.ts';
import { runTrial, trialDefaults } from '../sim/trial.ts';
import { attainedOrder } from './attained-service.ts';

const standing = (workLeft: number) => ({ place: 0, ageSeconds: 0, priority: 0, workLeft });

it('puts the search that has generated least first; queues double in size', () => {
  const [las, plas] = [attainedOrder('las').make({}), attainedOrder('plas').make({})];
  const urgencies = (order: typeof las, tokens: readonly number[]) =>
    tokens.map((each) => order.urgency!(standing(each)));
  expect(urgencies(las, [0, 99, 100, 5000])).toEqual(urgencies(las, [0, 99, 100, 5000]).toSorted((a, b) => b - a));
  expect(urgencies(plas, [0, 1023, 1024, 2047, 2048]).map(Math.abs)).toEqual([0, 0, 100, 100, 200]);
});

it('lets every search in, and answers as the policy does whose exits it has', () => {
  const spec = {
    ...trialDefaults,
    setting: 'math500/8b',
    requests: 12,
    budget: 4,
    arrivals: { kind: 'backlog' },
  } as const;
  const [own, las] = ['positive', 'las+positive'].map((row) => runTrial({ ...spec, contender: contenderOf(row) }));
  expect(las!.served.every(({ admittedMs }) => admittedMs === 0)).toBe(true);
  expect(own!.served.some(({ admittedMs }) => admittedMs !== 0)).toBe(true);
  expect(las!.answers).toEqual(own!.answers);
});
