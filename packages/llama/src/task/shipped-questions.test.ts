// The shipped question files: well formed, answered and marked correctly, and without training questions.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isSolvable } from '../../../../tests/support/countdown-solver.ts';
import { splitOf } from '../../../../tests/support/split.ts';
import { type GoldQuestion, parseQuestions } from '../../../core/src/answering/question-file.ts';
import { parseCountdown } from './countdown.ts';
import { recognise, tasks } from './recognise.ts';
import type { TaskKind } from './task.ts';

const kinds: readonly TaskKind[] = ['countdown', 'word-problem', 'ledger', 'sudoku'];
const sizes = {
  countdown: { test: 500, calibration: 200 },
  'word-problem': { test: 500, calibration: 200 },
  ledger: { test: 240, calibration: 120 },
  sudoku: { test: 200, calibration: 100 },
} as const;
type Split = 'test' | 'calibration';

const SPLITS: readonly (readonly [TaskKind, string, string])[] = [
  ['countdown', 'Make 20 from 3 5 9.', 'train'],
  ['countdown', 'Make 21 from 4 6 10.', 'train'],
  ['countdown', 'Make 22 from 5 7 11.', 'test'],
  ['countdown', 'Make 52 from 7 7 9.', 'calibration'],
  ['countdown', 'Make 62 from 3 7 11.', 'calibration'],
  ['countdown', 'Make 68 from 9 8 9.', 'test'],
  ['countdown', 'Make 69 from 3 9 10.', 'train'],
  ['countdown', 'Make 70 from 4 5 11.', 'train'],
  ['word-problem', 'Mia has 12 boxes with 28 beads in each. How many is that?', 'train'],
  ['word-problem', 'Ben has 7 coins. He loses 2 coins. How many are left?', 'train'],
];

function shipped(kind: TaskKind, split: Split): readonly GoldQuestion[] {
  const file = new URL(`../../tasks/${kind}.${split}.jsonl`, import.meta.url);
  return parseQuestions(file.pathname, readFileSync(file, 'utf8'));
}

describe.each(kinds)('%s', (kind) => {
  it.each(['test', 'calibration'] as const)('has its %s questions, in the form of the models', (split) => {
    const questions = shipped(kind, split);
    expect(questions).toHaveLength(sizes[kind][split]);
    expect(new Set(questions.map(({ question }) => question)).size).toBe(sizes[kind][split]);
    for (const { question, difficulty } of questions) {
      expect(recognise(question)).toEqual({ kind, question });
      expect(difficulty).toBeGreaterThanOrEqual(1);
    }
  });

  it.each(['test', 'calibration'] as const)('holds no %s question that could be trained on', (split) => {
    for (const { question, answer } of shipped(kind, split)) {
      // A sudoku's split follows from its solution, so no two splits share a state on the way to it.
      expect(splitOf(kind, kind === 'sudoku' ? answer! : question)).toBe(split);
    }
  });

  it('has gold answers that pass the checker', () => {
    const task = tasks.find((each) => each.kind === kind)!;
    for (const { question, answer, solvable } of shipped(kind, 'test')) {
      if (solvable) expect(task.check(question, answer!, answer)).toEqual({ right: true });
      else expect(answer).toBeUndefined();
    }
  });
});

it('splits as training does', () => {
  // Expected values from training/split.py: split_of('countdown', …) and split_of('word-problem', …).
  expect(SPLITS.map(([kind, question]) => splitOf(kind, question))).toEqual(SPLITS.map(([, , split]) => split));
});

it('marks as unsolvable what has no solution', () => {
  const marked = [...shipped('countdown', 'test'), ...shipped('countdown', 'calibration')].filter(
    ({ solvable }) => !solvable,
  );
  expect(marked).toHaveLength(70);
  for (const { question } of marked) {
    const { numbers, target } = parseCountdown(question)!;
    expect([question, isSolvable(numbers, target)]).toEqual([question, false]);
  }
});

it('leaves the public Game of 24 out', () => {
  for (const { question } of [...shipped('countdown', 'test'), ...shipped('countdown', 'calibration')]) {
    const { numbers, target } = parseCountdown(question)!;
    expect(target === 24 && numbers.length === 4 && numbers.every((number) => number <= 13)).toBe(false);
  }
});
