// The examples as a stranger runs them, each in a process of its own that imports `coppice` by its name.

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..', '..', 'examples');
const examples = readdirSync(folder).filter((file) => file.endsWith('.ts'));

const says: Readonly<Record<string, RegExp>> = {
  'one-question.ts': /^\w+ by mcts: \d+, score [\d.]+\n\d+ steps, \d+ nodes, \d+ rollouts\n$/,
  'many-questions.ts': /^(question \d: \w+ by \w+, \d+ steps, \d+ tokens\n){6}$/,
  'own-program.ts': /^first-step: exhausted, 6 openings, 5 paths\n$/,
  'level-program.ts': /^halving: exhausted, 16 beginnings\n$/,
  'own-exit.ts': /^exhausted by \w+ after \d+ rollouts\ncertain by last-agree after no more\n$/,
  'own-policy.ts': /^thrifty takes fewer tokens, widths by one-more\n$/,
  'second-look.ts': /^second-look: 4 answers, the last with 3 before it\n$/,
  'draft-test-repair.ts': /^accepted with score 1, \d+ repairs of \d+ answers\n$/,
  'tree-rollouts.ts': /^trees [12]\.\d+, flat 1\.00 trained tokens per generated token\n$/,
  'repaired-rollouts.ts': /^3 rollouts, 9\d of their tokens composed\n$/,
  'own-engine-proof.ts': /^trees: its cases hold\n$/,
  'own-parts.ts': /^accepted: 2, score 1\n$/,
};

test.concurrent.each(examples)('%s runs', async (file) => {
  const run = promisify(execFile)(process.execPath, ['--conditions=coppice-source', join(folder, file)]);
  expect((await run).stdout).toMatch(says[file]!);
});
