// Questions in forms outside the shipped models' training, most of them in known words. None may reach a model: most answers to them
// would be wrong, and the reward model does not notice (`npm run lab -- honesty`).

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkLine } from '../../../core/src/answer/task.ts';
import { parseQuestions } from '../../../core/src/answering/question-file.ts';
import { isRecognised, recognise, tasks } from './recognise.ts';

const file = new URL('../../../../tests/fixtures/unknown-forms.jsonl', import.meta.url);
const questions = parseQuestions(file.pathname, readFileSync(file, 'utf8'));

describe('a question in an unknown form', () => {
  it('is one of at least 60', () => expect(questions.length).toBeGreaterThanOrEqual(60));

  it.each(questions.map(({ question }) => question))('is refused: %s', (question) => {
    const found = recognise(question);
    expect(isRecognised(found)).toBe(false);
    expect(found).toMatchObject({ code: 'unsupported' });
  });
});

describe('an answer of a story in a known form', () => {
  const story = 'Ben has 17 coins. He loses 9 coins. He buys 3 more coins. How many coins are left?';

  it('is left to a judge of answers where its sums are true, and false where it is not their result', () => {
    const lines = ['17-9=8', '8+3=11'];
    expect(checkLine(tasks, story, lines.slice(0, 1), '8+3=11')).toBe('true');
    expect(checkLine(tasks, story, lines, 'Answer: 11')).toBe('unknown');
    expect(checkLine(tasks, story, lines, 'Answer: 12')).toBe('false');
  });
});
