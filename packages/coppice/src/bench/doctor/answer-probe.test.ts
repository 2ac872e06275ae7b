import { expect, test } from 'vitest';
import { answerFinding, type ProbedAnswer } from './answer-probe.ts';

const ended = (...texts: string[]): ProbedAnswer[] => texts.map((text) => ({ text, end: 'eos' }));

test.each([
  ['good', /marks its answers and ends them: 3 of 3/, ended('\\boxed{36}', 'The answer is 13.', '\\boxed{36}')],
  ['warning', /does not mark its answers \(1 of 3 sums\)/, ended('\\boxed{36}', 'There are 13 left.', '\\boxed{36}')],
  ['warning', /gets simple sums wrong: 1 of 3/, ended('\\boxed{36}', '\\boxed{14}', '\\boxed{36}')],
  ['warning', /goes on writing: 1 of 3/, [...ended('\\boxed{36}', '\\boxed{13}'), { text: 'and', end: 'length' }]],
  ['warning', /raise --seconds/, [{ text: '', end: undefined }]],
] as const)('one line, %s: %s', (level, text, answers) => {
  expect(answerFinding(answers)).toEqual({ level, text: expect.stringMatching(text) });
});
