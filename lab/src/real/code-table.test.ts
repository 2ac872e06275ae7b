import { expect, it } from 'vitest';
import type { CodeAnswer, CodeLine } from './code-search.ts';
import { codeTable, isRightWithin } from './code-table.ts';

const failed: CodeAnswer = { depth: 1, tokens: 100, score: 0, right: false };
const half: CodeAnswer = { depth: 2, tokens: 50, score: 0.5, right: true };
const repeated: CodeAnswer = { depth: 2, tokens: 50, score: 0.5, repeats: true };
const passed: CodeAnswer = { depth: 3, tokens: 60, score: 1, right: false };

it('holds for right what was the best when so many tokens had been generated', () => {
  const answers = [failed, half, repeated, passed];
  expect([99, 100, 150, 259, 260].map((limit) => isRightWithin(answers, limit))).toEqual([
    false,
    false,
    true,
    true,
    false,
  ]);
});

it('pairs programs by task, over seeds, and says what repairs come to', () => {
  const line = (program: string, question: string, right: boolean, answers: CodeAnswer[]): CodeLine => {
    const cost = { tokens: 10, promptTokens: 5, cachedTokens: 0, ms: 1000 };
    return { program, seed: 1, set: 'mbpp', question, right, score: 1, exit: 'accepted', answers, ...cost };
  };
  const lines = [
    line('refine', 'a', true, [failed, half, repeated, passed]),
    line('refine', 'b', true, [{ ...passed, depth: 1, right: true }]),
    line('best-of-n', 'a', false, [failed]),
    line('best-of-n', 'b', true, [failed, { ...passed, depth: 1, right: true }]),
  ];
  const table = codeTable(lines, 'best-of-n', [100]);
  expect(table[1]).toMatch(/^ {2}best-of-n +50\.0 % right/);
  expect(table[2]).toBe('    a later fresh answer passes in 100.0 % of 1, repeats one in 0.0 %');
  expect(table[4]).toBe(
    '    a first repair passes in 0.0 % of 2, repeats one in 50.0 %; a repair of a repair passes in 100.0 % of 1, repeats one in 0.0 %',
  );
  expect(table[5]).toMatch(/refine against best-of-n: 50\.0 points \[.*\] \(100\.0 to 50\.0 %, 2 tasks\)/);
  expect(table[6]).toMatch(/after 100 tokens: 50\.0 points/);
});
