// A probed chain on the shipped model: probes are counted, read and answered, and the chain goes on as if nobody had asked.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openModel, pathTo, type SearchModel, search } from '../../packages/core/src/library/index.ts';

const file = new URL('../../packages/llama/tasks/word-problem.calibration.jsonl', import.meta.url);
const questions = readFileSync(file, 'utf8')
  .split('\n')
  .slice(0, 12)
  .map((line) => (JSON.parse(line) as { question: string }).question);

let model: SearchModel;
beforeAll(async () => {
  model = await openModel('sapling');
});
afterAll(() => model.close());

it.each(['answer', 'entropy'] as const)('is the chain that it would be without a probe for its %s', async (probe) => {
  let [probes, probeTokens, entropies] = [0, 0, 0];
  for (const question of questions) {
    const asked = { model, program: 'chain', seed: 3 } as const;
    const plain = await search(question, { ...asked, chain: { probeEvery: 6, probe: 'off' } });
    const { tree, cost } = await search(question, { ...asked, chain: { probeEvery: 6, probe } });
    const keys = pathTo(plain.tree.nodes.at(-1)!).map(({ key }) => key);
    expect(keys.slice(0, tree.nodes.length - 1)).toEqual(tree.nodes.slice(1).map(({ key }) => key));
    expect(cost.committedTokens).toBe(tree.tokens);
    const replies = tree.nodes.flatMap(({ probes: own }) => [...(own?.values() ?? [])]);
    probes += replies.length;
    probeTokens += tree.probeTokens;
    entropies += replies.filter((reply) => reply?.entropy !== undefined).length;
  }
  expect(probes).toBeGreaterThan(questions.length);
  expect(probeTokens).toBeGreaterThanOrEqual(probes);
  if (probe === 'entropy') expect(entropies).toBeGreaterThan(questions.length);
});
