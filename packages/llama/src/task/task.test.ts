import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSolvable } from '../../../../tests/support/countdown-solver.ts';
import { checkLine } from '../../../core/src/answer/task.ts';
import { countdown, parseCountdown } from './countdown.ts';
import { isRecognised, recognise, recogniseFor, tasks } from './recognise.ts';
import { wordProblem } from './word-problem.ts';

describe('recognise', () => {
  it.each([
    'make 24 from 4, 7, 8 and 8',
    'Make 24 from 8 4 7 8.',
    'use 4, 7, 8, and 8 to make 24',
    'Using the numbers 4 7 8 8, reach 24!',
    'How can I get 24 with 8, 8, 7, 4?',
    'please make the number 24 out of 4,7,8,8',
    'Game of 24: 4 7 8 8',
    '4 7 8 8 -> 24',
    '  make   24\nfrom 4 7 8 8 ',
  ])('puts a puzzle into the form of the models: %s', (typed) => {
    expect(recognise(typed)).toEqual({ kind: 'countdown', question: 'Make 24 from 4 7 8 8.' });
  });

  it('lets a word problem pass, on one line', () => {
    const typed = 'Zoe has 12 boxes with 28 stamps in each.\nShe loses 9 stamps.  How many stamps does Zoe have now?';
    expect(recognise(typed)).toEqual({ kind: 'word-problem', question: typed.replace(/\s+/g, ' ') });
  });

  it.each([
    ['Who wrote Faust?', /four kinds of question/],
    ['', /four kinds of question/],
    ['make 24', /four kinds of question/],
    ['make 24 from 4 and 7', /3 to 6 numbers, not 2/],
    ['make 24 from 1 2 3 4 5 6 7', /3 to 6 numbers, not 7/],
    ['make 24 from 4 7 800 8', /numbers from 1 to 99, not 800/],
    ['make 5000 from 4 7 8 8', /targets from 1 to 999, not 5000/],
    [
      'A cylindrical reservoir drains through 3 circular valves at 40 litres hourly. How many hours until empty if it held 960 litres originally?',
      /not "A cylindrical reservoir .*cylindrical, reservoir, drains, through, circular/,
    ],
    ['There are 3 boxes with 12 eggs each. How many eggs are there?', /never seen eggs/],
    ['Paul has 25 stamps. Ben has 10 more than Paul. How many together?', /not "Ben has 10 more than Paul." here/],
    ['Anna has 20 stamps. Anna also has 15 stamps. How many stamps are left?', /not "Anna also has 15 stamps." here/],
    ['Ben has 17 coins. He loses 9 coins. How many coins are left?', /2 to 12 operations; this one has 1 operation$/],
    ['Ida has 7 books. She loses 9 books. How many books are left?', /not what "She loses 9 books." leads to/],
    ['Ida has 7 books. Ida keeps half of the books. How many books are left?', /come out even/],
    [
      'Ida has 7 books. He loses 2 books. He buys 3 more books. How many books are left?',
      /not "He loses 2 books." here/,
    ],
  ])('says plainly when a question is none of theirs: %s', (typed, message) => {
    const found = recognise(typed);
    expect(isRecognised(found)).toBe(false);
    expect(found).toMatchObject({ code: 'unsupported', message: expect.stringMatching(message) });
  });

  it('names the shipped model that has learnt a kind', () => {
    const puzzle = 'Sudoku 1..3 3.4. 2.3. 4312';
    expect(recogniseFor('sapling-sudoku', puzzle)).toEqual({ kind: 'sudoku', question: puzzle });
    expect(recogniseFor('sapling', puzzle)).toMatchObject({ message: expect.stringMatching(/model sapling-sudoku/) });
    const sums = 'Ledger 4821: a+3921 b-2442 c+1000 d-5000 e+2222 f+1111.';
    expect(recogniseFor('sapling', sums)).toMatchObject({ message: expect.stringMatching(/model sapling-ledger/) });
    expect(recogniseFor('sapling', 'make 24 from 4 7 8 8')).toMatchObject({ kind: 'countdown' });
    expect(recogniseFor('sapling-sudoku', 'make 24 from 4 7 8 8')).toMatchObject({ code: 'unsupported' });
  });

  it('reads its own form again, whatever the numbers', () => {
    const question = fc.record({
      target: fc.integer({ min: 1, max: 999 }),
      numbers: fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 3, maxLength: 6 }),
    });
    fc.assert(
      fc.property(question, ({ target, numbers }) => {
        const found = recognise(`make ${target} from ${numbers.join(', ')}`);
        const sorted = [...numbers].sort((a, b) => a - b);
        expect(isRecognised(found) && parseCountdown(found.question)).toEqual({ target, numbers: sorted });
      }),
    );
  });
});

describe('countdown', () => {
  const question = 'Make 24 from 4 7 8 8.';
  const check = (answer: string, asked = question) => {
    const verdict = countdown.check(asked, answer);
    return verdict.right ? 'right' : verdict.reason;
  };

  it('checks an expression exactly', () => {
    expect(check('(7-8/8)*4')).toBe('right');
    expect(check('(7 − 8 ÷ 8) × 4 = 24')).toBe('right');
    expect(check('8/(3-8/3)', 'Make 24 from 3 3 8 8.')).toBe('right');
    expect(check('4*8-8')).toBe('numbers');
    expect(check('(7-8/8)*4*1')).toBe('numbers');
    expect(check('7*4-8+8')).toBe('target');
    expect(check('24')).toBe('numbers');
  });

  it.each(['', '(7-8/8)4', '(7-8/8)(4)', '-8+8+7*4', '7**4-8-8', '8/(8-8)+7+4', '(7-8/8)*4)', '7+8+8+four', '()'])(
    'refuses what is no expression: %s',
    (answer) => {
      expect(check(answer)).toBe('form');
    },
  );

  it('judges each line on what the line before left', () => {
    const reasons = (lines: readonly string[]) =>
      countdown.judge(question, lines).map((verdict) => (verdict.right ? 'right' : verdict.reason));
    expect(reasons(['8/8=1 left 1 4 7', '7-1=6 left 4 6', '6*4=24 left 24', 'Answer: (7-8/8)*4'])).toEqual(
      Array(4).fill('right'),
    );
    expect(reasons(['8+8=17 left 4 7 17', '17+7=24 left 4 24', '24*4=96 left 96', 'Answer: (8+8+7)*4'])).toEqual([
      'arithmetic',
      'right',
      'right',
      'target',
    ]);
    expect(reasons(['9+8=17 left 4 7 17', '7-4=3 left 3', 'hello'])).toEqual(['numbers', 'numbers', 'form']);
    expect(reasons(['4-7=3 left 3 8 8'])).toEqual(['arithmetic']);
  });

  it('knows which puzzles have a solution', () => {
    expect(isSolvable([3, 3, 8, 8], 24)).toBe(true);
    expect(isSolvable([1, 5, 5, 5], 24)).toBe(true);
    expect(isSolvable([1, 1, 1, 1], 24)).toBe(false);
    expect(isSolvable([8, 12, 12], 96)).toBe(false);
  });

  it('finds a solution for whatever was made from the numbers', () => {
    const made = fc.tuple(
      fc.array(fc.integer({ min: 1, max: 13 }), { minLength: 3, maxLength: 4 }),
      fc.array(fc.constantFrom('+', '-', '*'), { minLength: 3, maxLength: 3 }),
    );
    fc.assert(
      fc.property(made, ([numbers, operators]) => {
        const apply = (a: number, operator: string, b: number) =>
          operator === '+' ? a + b : operator === '-' ? a - b : a * b;
        const value = numbers.reduce((total, number, index) => apply(total, operators[index - 1]!, number));
        expect(isSolvable(numbers, value)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

describe('word problems', () => {
  it('compares with the gold answer as a number', () => {
    expect(wordProblem.check('', '1,336', '1336')).toEqual({ right: true });
    expect(wordProblem.check('', '1337', '1336')).toEqual({ right: false, reason: 'quantity' });
    expect(wordProblem.check('', 'many', '1336')).toEqual({ right: false, reason: 'form' });
  });

  it('judges arithmetic and where numbers come from', () => {
    const question = 'Mia has 12 boxes with 28 beads in each. She keeps half of the beads. How many beads are left?';
    const judge = (lines: readonly string[]) =>
      wordProblem.judge(question, lines).map((verdict) => (verdict.right ? 'right' : verdict.reason));
    expect(judge(['12*28=336', '336/2=168', 'Answer: 168'])).toEqual(['right', 'right', 'right']);
    expect(judge(['12*28=326', '326/2=163', '163*51=8313', 'Answer: 163', 'so'])).toEqual([
      'arithmetic',
      'right',
      'numbers',
      'quantity',
      'form',
    ]);
  });

  it('checks one line as far as the story tells', () => {
    const question = 'Mia has 12 boxes with 28 beads in each. She keeps half of the beads. How many beads are left?';
    expect(checkLine(tasks, question, [], '12*28=336\n')).toBe('true');
    expect(checkLine(tasks, question, [], '12*28=326\n')).toBe('false');
    expect(checkLine(tasks, question, ['12*28=336\n'], '336/10=33\n')).toBe('false');
    expect(checkLine(tasks, question, ['12*28=336\n'], '336-51=285\n')).toBe('unknown');
    expect(checkLine(tasks, question, ['12*28=336\n', '336/2=168\n'], 'Answer: 168')).toBe('unknown');
  });
});

describe('a countdown line', () => {
  it('is true when it is right in itself', () => {
    const question = 'Make 24 from 4 7 8 8.';
    expect(checkLine(tasks, question, [], '8/8=1 left 1 4 7\n')).toBe('true');
    expect(checkLine(tasks, question, [], '7/4=1 left 1 8 8\n')).toBe('false');
    expect(checkLine(tasks, question, ['8/8=1 left 1 4 7\n'], '9-1=8 left 4 8\n')).toBe('false');
  });
});
