// Thousands of made-up answers of servers against everything that asks one; ten thousand with COPPICE_LONG=1.

import { env } from 'node:process';
import { expect, test } from 'vitest';
import { type MadeUpOutcome, trials } from '../support/made-up-answers.ts';

const answers = env.COPPICE_LONG === '1' ? 10_000 : 2000;
const names = Object.keys(trials);

test(`${answers} made-up answers leave no request open and end no process`, { timeout: 3_600_000 }, async () => {
  const all: MadeUpOutcome = { ends: new Map(), answers: 0 };
  for (const name of names) await trials[name]!(Math.ceil(answers / names.length), 2, all);
  console.log(`${all.answers} answers: ${JSON.stringify(Object.fromEntries(all.ends))}`);
  expect(all.answers).toBeGreaterThanOrEqual(answers);
});
