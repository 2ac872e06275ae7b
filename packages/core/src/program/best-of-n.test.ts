import { expect, test } from 'vitest';
import { fault } from '../base/fault.ts';
import { Random } from '../base/random.ts';
import { Tree } from '../tree/tree.ts';
import { createBestOfN } from './best-of-n.ts';
import type { Ask } from './program.ts';

test('a sample that failed leaves a gap, which is foreseen before the samples behind it', () => {
  const program = createBestOfN({ samples: 5 });
  const tree = Tree.plant('product');
  const asks = [0, 1, 2].map(() => program.ask(tree, true)!);
  expect(asks.map(({ indices }) => indices)).toEqual([[0], [1], [2]]);
  program.tell(tree, { ok: false, node: 0, index: 1, fault: fault('internal', 'test') });
  const foreseen = program.foresee(tree, 3).map(({ indices }) => indices);
  expect(foreseen).toEqual([[1], [3], [4]]);
  expect(program.ask(tree, true)?.indices).toEqual([1]);
});

test('a window opens the next sample when one has ended, however wide the search may be', () => {
  const program = createBestOfN({ samples: 3, window: 2 });
  expect(program.naturalWidth).toBe(2);
  const tree = Tree.plant('product');
  expect([0, 1].map(() => program.ask(tree, true)?.indices)).toEqual([[0], [1]]);
  expect(program.ask(tree, true)).toBeUndefined();
  const step = { text: '7', tokens: 1, meanLogprob: 0, end: 'eos' } as const;
  program.tell(tree, { ok: true, node: 0, index: 1, form: 0, step, reward: 1, answer: '7' });
  expect(program.ask(tree, true)?.indices).toEqual([2]);
  expect(program.ask(tree, true)).toBeUndefined();
});

/** Four samples of 300 tokens in steps of 10 to 50, which land in any order; gives how many have ended. */
function finishedUnevenly(tokenBudget: number, seed: number): number {
  const program = createBestOfN({ samples: 4, tokenBudget });
  const tree = Tree.plant('product');
  const random = new Random('uneven', seed);
  const line: Ask[] = [];
  while (tree.tokens < tokenBudget) {
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) line.push(ask);
    const [next] = line.splice(random.integer(line.length), 1);
    if (next === undefined) break;
    const { node, indices } = next;
    const tokens = 10 + random.integer(41);
    const end = node.pathTokens + tokens >= 300 ? 'eos' : 'delimiter';
    const step = { text: `${node.id} ${indices[0]}`, tokens, meanLogprob: 0, end } as const;
    program.tell(tree, { ok: true, node: node.id, index: indices[0]!, form: 0, step, reward: 1 });
  }
  return tree.closed.completed;
}

/** Samples of eight steps of 30 tokens, told in turns until the budget is spent; gives how many have ended. */
function finishedWith(tokenBudget: number, samples = 4): number {
  const program = createBestOfN({ samples, tokenBudget });
  const tree = Tree.plant('product');
  const line: Ask[] = [];
  while (tree.tokens < tokenBudget) {
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) line.push(ask);
    const next = line.shift();
    if (next === undefined) break;
    const { node, indices } = next;
    const end = node.depth === 7 ? 'eos' : 'delimiter';
    const step = { text: `${node.id} ${indices[0]}`, tokens: 30, meanLogprob: 0, end } as const;
    program.tell(tree, { ok: true, node: node.id, index: indices[0]!, form: 0, step, reward: 1 });
  }
  return tree.closed.completed;
}

test('a budget for two and a half samples finishes two of four, not none', () => {
  expect(finishedWith(600)).toBe(2);
  expect(finishedWith(960)).toBe(4);
});

test('the longest sample is finished where the budget pays for hardly more than one', () => {
  expect(finishedWith(420)).toBe(1);
  expect(finishedWith(600, 64)).toBe(1);
});

test('samples do not overtake each other while the longest is to be finished', () => {
  for (let seed = 0; seed < 50; seed += 1) expect(finishedUnevenly(600, seed)).toBeGreaterThan(0);
});

test('with a budget that is no limit all samples grow side by side', () => {
  const program = createBestOfN({ samples: 16, tokenBudget: 40_000 });
  const tree = Tree.plant('product');
  for (let sample = 0; sample < 16; sample += 1) expect(program.ask(tree, true)?.indices).toEqual([sample]);
});
