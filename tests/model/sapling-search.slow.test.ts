// The shipped models through the whole system: search with the reward model solves what the generator alone often does not.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBlock } from '../../packages/coppice/src/bench/contest/block.ts';
import type { Contender, Contest, Trial } from '../../packages/coppice/src/bench/contest/contest.ts';
import { ownModel } from '../../packages/core/src/answering/models/model-by-name.ts';
import { closeModel, type OpenModel } from '../../packages/core/src/answering/models/open-model.ts';
import { openModel } from '../../packages/core/src/answering/models/open-models.ts';
import { isRight } from '../../packages/core/src/answering/question.ts';
import { readQuestions } from '../../packages/core/src/answering/question-file.ts';

let model: OpenModel;
let contest: Contest;

beforeAll(async () => {
  model = await openModel(ownModel({ model: 'sapling', check: 'none' }), {});
  contest = {
    model,
    settings: { wish: { choose: 'best' }, budget: 16, concurrency: 4, seed: 1 },
    isCorrect: isRight,
  };
});

afterAll(() => closeModel(model));

async function solved(contender: Contender, count: number): Promise<number> {
  const file = fileURLToPath(new URL('../../packages/llama/tasks/countdown.calibration.jsonl', import.meta.url));
  // Four numbers and solvable: between what is solved at once and what never is.
  const questions = readQuestions(file).filter(({ solvable, difficulty }) => solvable && difficulty === 2);
  const trials: Trial[] = [];
  await runBlock(contest, contender, questions.slice(0, count), (trial) => trials.push(trial));
  expect(trials.length).toBe(count);
  return trials.filter(({ correct }) => correct).length;
}

describe('the saplings', () => {
  it('solve more puzzles with MCTS than greedily', async () => {
    const count = 16;
    const greedy = await solved({ name: 'greedy', program: 'greedy', policy: 'vanilla', rollouts: 1 }, count);
    const mcts = await solved({ name: 'mcts', program: 'mcts', policy: 'positive', rollouts: 24 }, count);
    expect(mcts).toBeGreaterThanOrEqual(12);
    expect(mcts).toBeGreaterThan(greedy);
  });
});
