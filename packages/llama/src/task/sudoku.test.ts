import { describe, expect, it } from 'vitest';
import { checkLine } from '../../../core/src/answer/task.ts';
import { recognise, tasks } from './recognise.ts';
import { sudoku } from './sudoku.ts';

const question = 'Sudoku 1..3 3.4. 2.3. 4312';
const answer = ['a2=4', 'a3=2', 'b2=2', 'b4=1', 'c2=1', 'c4=4', 'Answer: 1423 3241 2134 4312'];
const large = 'Sudoku ...3.. 3.62.. 14.6.. 562.4. 6.5.3. .34.6.';

describe('sudoku', () => {
  it.each([
    question,
    'sudoku: 1..3/3.4./2.3./4312',
    'Solve this Sudoku: 1003 3040 2030 4312',
    'sudoku 1__33_4_2_3_4312',
  ])('puts a grid into the form of the models: %s', (typed) => {
    expect(recognise(typed)).toEqual({ kind: 'sudoku', question });
  });

  it('knows grids of six as well', () => {
    expect(recognise(large)).toEqual({ kind: 'sudoku', question: large });
  });

  it.each([
    [`Sudoku ${'.'.repeat(81)}`, /4x4 and 6x6, not 9x9/],
    ['Sudoku 1..5 3.4. 2.3. 4312', /digits up to 4, not 5/],
    ['Sudoku 1..3 3.4. 2.3. 4313', /two equal digits/],
    [`Sudoku ${'...... '.repeat(6)}`, /4 to 22 empty cells, not 36/],
    ['Sudoku 123', /four kinds of question/],
  ])('says plainly what is out of reach: %s', (typed, message) => {
    expect(recognise(typed)).toMatchObject({ code: 'unsupported', message: expect.stringMatching(message) });
  });

  it('checks the whole grid', () => {
    expect(sudoku.check(question, '1423 3241 2134 4312')).toEqual({ right: true });
    expect(sudoku.check(question, '1423324121344312')).toEqual({ right: true });
    expect(sudoku.check(question, '1423 3241 2143 4312')).toEqual({ right: false, reason: 'numbers' });
    expect(sudoku.check(question, '1423 3241 2134')).toEqual({ right: false, reason: 'form' });
    expect(sudoku.check(question, '1243 3241 2134 4312')).toEqual({ right: false, reason: 'conflict' });
  });

  it('judges each line on the grid that stands before it', () => {
    const reasons = (lines: readonly string[]) =>
      sudoku.judge(question, lines).map((verdict) => (verdict.right ? 'right' : verdict.reason));
    expect(reasons(answer)).toEqual(Array(7).fill('right'));
    expect(reasons(['a2=3', 'a1=2', 'e1=2', 'a3=5', 'hm'])).toEqual(['conflict', 'numbers', 'form', 'form', 'form']);
  });

  it('calls a line true only where no other digit can stand', () => {
    expect(checkLine(tasks, question, [], 'c2=1')).toBe('true');
    expect(checkLine(tasks, 'Sudoku 1... .... .... 4312', [], 'a2=4')).toBe('unknown');
    expect(checkLine(tasks, question, [], 'a2=3')).toBe('false');
    expect(checkLine(tasks, question, answer.slice(0, 6), 'Answer: 1423 3241 2134 4312')).toBe('true');
    expect(checkLine(tasks, question, answer.slice(0, 6), 'Answer: 1423 3241 2134 4321')).toBe('false');
  });
});
