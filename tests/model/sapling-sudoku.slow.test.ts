// The sudoku generator through the whole system, without a reward model: it writes whole grids that keep the rules.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { closeModel } from '../../src/answering/open-model.ts';
import { openModel } from '../../src/answering/open-models.ts';
import { ownModel } from '../../src/answering/own-model.ts';
import { readQuestions } from '../../src/answering/question-file.ts';
import { isRight } from '../../src/answering/question-form.ts';
import { runBlock, type Trial } from '../../src/bench/contest/contest.ts';

it('fills grids of four and six greedily', async () => {
  const file = fileURLToPath(new URL('../../tasks/sudoku.calibration.jsonl', import.meta.url));
  // Levels 2 and 4: measured, greedy solves more than nine in ten of both (models/README.md).
  const questions = readQuestions(file).filter(({ difficulty }) => difficulty === 2 || difficulty === 4);
  const model = await openModel(ownModel({ model: 'sapling-sudoku', check: 'none' }), {});
  const trials: Trial[] = [];
  try {
    const contest = { model, settings: { wish: {}, budget: 16, concurrency: 4, seed: 1 }, isCorrect: isRight };
    const greedy = { name: 'greedy', program: 'greedy', policy: 'vanilla', rollouts: 1 } as const;
    await runBlock(contest, greedy, questions, (trial) => trials.push(trial));
  } finally {
    await closeModel(model);
  }
  expect(trials.length).toBe(20);
  expect(trials.filter(({ correct }) => correct).length).toBeGreaterThanOrEqual(15);
});
