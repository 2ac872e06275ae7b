// Whether a tree pays, as doctor finds it on the shipped models: on word problems, whose lines are checked as they are written, it is ahead of
// votes of equal cost. Samples that end at an accepted one come near it, so that a hundred questions are not enough to say that it pays.
// It takes minutes: it runs where COPPICE_LONG is set.

import { expect, it } from 'vitest';
import { adviceOf } from '../../packages/coppice/src/bench/doctor/advice.ts';
import { compare } from '../../packages/coppice/src/bench/doctor/compare.ts';
import { comparisonOf } from '../../packages/coppice/src/bench/doctor/comparison.ts';
import { ownModel } from '../../packages/core/src/answering/models/model-by-name.ts';
import { closeModel } from '../../packages/core/src/answering/models/open-model.ts';
import { openModel } from '../../packages/core/src/answering/models/open-models.ts';
import { readQuestions } from '../../packages/core/src/answering/question-file.ts';

const file = new URL('../../packages/llama/tasks/word-problem.test.jsonl', import.meta.url).pathname;

it.runIf(process.env.COPPICE_LONG)(
  'is ahead of votes on word problems of the shipped model, and claims no more',
  async () => {
    const model = await openModel(ownModel({ needsVerifier: true }), {});
    const solvable = readQuestions(file).filter((each) => each.solvable);
    const questions = solvable.filter((_, at) => at % 5 === 2);
    // All of them, however long it takes: the clock stands still.
    const clock = { nowMs: () => 0, after: () => new AbortController().signal };
    const sizes = { rollouts: 32, samples: 16, budget: 32, seed: 1, limitMs: 1000 };
    const run = await compare({ model, questions, wish: {}, ...sizes, clock }).finally(() => closeModel(model));
    expect(run.questions.length).toBe(questions.length);
    const found = comparisonOf(run, sizes.samples);
    expect(found.preference.low).toBeGreaterThan(0.5);
    const votes = found.equalCost.filter(({ rule }) => !rule.startsWith('best'));
    for (const { difference } of votes) expect(difference.low).toBeGreaterThan(0);
    expect(['tree', 'unknown']).toContain(adviceOf(found, 0).kind);
  },
  1_200_000,
);
