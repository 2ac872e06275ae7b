// Ten thousand made-up answers of servers against everything that asks one.

import { expect, test } from 'vitest';
import { type MadeUpOutcome, trials } from '../support/made-up-answers.ts';

const answers = 10_000;
const names = Object.keys(trials);

test(`${answers} made-up answers leave no request open and end no process`, { timeout: 3_600_000 }, async () => {
  const all: MadeUpOutcome = { ends: new Map(), answers: 0 };
  for (const name of names) await trials[name]!(Math.ceil(answers / names.length), 2, all);
  console.log(`${all.answers} answers: ${JSON.stringify(Object.fromEntries(all.ends))}`);
  expect(all.answers).toBeGreaterThanOrEqual(answers);
});
