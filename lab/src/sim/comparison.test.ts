import { expect, it } from 'vitest';
import { planDefaults, planFlagOf } from '../experiment/plan.ts';
import { specOf } from './comparison.ts';

const spot = { setting: 'math500/8b', seed: 1, row: 'safe' } as const;
const spec = (changes: object) => specOf({ ...planDefaults, ...changes }, spot, { kind: 'backlog' });

it('takes the threshold of a scoring, unless one was told', () => {
  const told = planFlagOf('threshold').read('0.6', planDefaults);
  expect(spec({ scoring: 'minimum' })).toMatchObject({ aggregation: 'minimum', threshold: 0.9 });
  expect(spec({ ...told, scoring: 'minimum' })).toMatchObject({ aggregation: 'minimum', threshold: 0.6 });
});
