// The later generators through the whole system, without a reward model: greedy answers to the levels that they know well.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { runBlock } from '../../packages/coppice/src/bench/contest/block.ts';
import type { Trial } from '../../packages/coppice/src/bench/contest/contest.ts';
import { ownModel } from '../../packages/core/src/answering/models/model-by-name.ts';
import { closeModel } from '../../packages/core/src/answering/models/open-model.ts';
import { openModel } from '../../packages/core/src/answering/models/open-models.ts';
import { isRight } from '../../packages/core/src/answering/question.ts';
import { readQuestions } from '../../packages/core/src/answering/question-file.ts';

/** Measured (models/README.md), greedy solves about nine in ten of each of these levels. */
it.each([
  ['sapling-sudoku', 'sudoku', [2, 4], 12],
  ['sapling-ledger', 'ledger', [1], 8],
] as const)('%s answers %s of levels %j greedily', async (name, task, levels: readonly number[], count) => {
  const file = fileURLToPath(new URL(`../../packages/llama/tasks/${task}.calibration.jsonl`, import.meta.url));
  const questions = readQuestions(file)
    .filter(({ difficulty }) => levels.includes(difficulty!))
    .slice(0, count);
  const model = await openModel(ownModel({ model: name, check: 'none' }), {});
  const trials: Trial[] = [];
  try {
    const contest = { model, settings: { wish: {}, budget: 16, concurrency: 4, seed: 1 }, isCorrect: isRight };
    const greedy = { name: 'greedy', program: 'greedy', policy: 'vanilla', rollouts: 1 } as const;
    await runBlock(contest, greedy, questions, (trial) => trials.push(trial));
  } finally {
    await closeModel(model);
  }
  expect(trials.length).toBe(count);
  expect(trials.filter(({ correct }) => correct).length).toBeGreaterThanOrEqual(0.75 * count);
});
