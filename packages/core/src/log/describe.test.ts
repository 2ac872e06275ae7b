import { expect, it } from 'vitest';
import { describeEvent, reasonFigures, reasonSentence } from './describe.ts';

const boost = { rule: 'boost', base: 1, target: 4, score: 0.41 };
const taken = { rule: 'boost', base: 1, target: 2, score: 0.2, taken: 2, othersLack: 3 };

it('says a reason of the scheduler as a sentence, with its numbers apart', () => {
  expect(reasonSentence(boost)).toBe('the scheduler lends it idle strands, 4 instead of its own 1');
  expect(reasonSentence({ ...boost, rule: 'worth' })).toMatch(/since they gain more than they slow the others down$/);
  expect(reasonSentence(taken)).toMatch(/^other searches lacked 3 strands of their own.*it keeps 2$/);
  expect(reasonSentence({ rule: 'boost', base: 1, target: 1, score: 0 })).toBe(
    'it has its own 1 strand, and borrows none',
  );
  expect(reasonSentence({ rule: 'idle', base: 2, idle: 1 })).toContain('what is idle: 1 of the 2 strands');
  expect(reasonFigures(boost)).toContain('score 0.41');
  expect(describeEvent({ type: 'preempted', strand: 1, why: boost })).toMatch(
    /search: the scheduler lends .* \(rule boost, base 1, target 4, score 0.41\)$/,
  );
});
