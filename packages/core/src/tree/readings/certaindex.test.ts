import { expect, test } from 'vitest';
import { createSelfConsistency } from '../../program/best-of-n.ts';
import { Tree } from '../tree.ts';
import { agreeing, countedBelief, sampleVotes, treeBelief } from './certaindex.ts';

function sampling(samples: number) {
  const program = createSelfConsistency({ samples });
  const tree = Tree.plant('product');
  const tell = (node: number, index: number, text: string) => {
    const ends = !text.endsWith('\n');
    const step = { text, tokens: 1, meanLogprob: 0, end: ends ? 'eos' : 'delimiter' } as const;
    program.tell(tree, { ok: true, node, index, form: 0, step, ...(ends ? { answer: text } : {}) });
    while (program.ask(tree, true) !== undefined);
  };
  while (program.ask(tree, true) !== undefined);
  return { tree, tell };
}

test('samples are counted up to the first that is still on its way, in whatever order they arrive', () => {
  const { tree, tell } = sampling(4);
  tell(0, 3, '9');
  tell(0, 1, '7');
  expect(sampleVotes(tree)).toEqual([]);
  tell(0, 0, 'a\n');
  expect(sampleVotes(tree)).toEqual([]);
  const a = tree.nodes.find(({ step }) => step?.text === 'a\n')!;
  tell(a.id, 0, '7.0');
  expect(sampleVotes(tree).map(({ answer }) => answer)).toEqual(['7.0', '7']);
  expect(countedBelief(() => sampleVotes(tree), 'none').certainty()).toEqual({ answers: 2, agreement: 1 });
  tell(0, 2, '5');
  expect(sampleVotes(tree).map(({ answer }) => answer)).toEqual(['7.0', '7', '5', '9']);
});

test('a sample that a rule has ended is no vote, and those behind it are counted', () => {
  const { tree, tell } = sampling(3);
  tell(0, 0, 'a\n');
  tell(0, 1, '7');
  tell(0, 2, '7');
  expect(sampleVotes(tree)).toEqual([]);
  const [strand] = [...tree.strands.values()];
  tree.record({ type: 'closed', strand: strand!.id, closing: 'pruned' });
  expect(sampleVotes(tree).map(({ answer }) => answer)).toEqual(['7', '7']);
});

test('samples that began with the same step are told apart by the order of their draws below it', () => {
  const { tree, tell } = sampling(3);
  tell(0, 0, 'a\n');
  tell(0, 1, 'a\n');
  tell(0, 2, '3');
  const a = tree.nodes.find(({ step }) => step?.text === 'a\n')!;
  expect(a.count).toBe(2);
  tell(a.id, 1, '2');
  expect(sampleVotes(tree)).toEqual([]);
  tell(a.id, 0, '1');
  expect(sampleVotes(tree).map(({ answer }) => answer)).toEqual(['1', '2', '3']);
});

test('a tree counts its answers as they come, as if it had counted them at the end', () => {
  const { tree, tell } = sampling(4);
  expect(treeBelief(tree).certainty()).toEqual({ answers: 0, agreement: 0, reward: 0 });
  for (const [index, text] of ['7', '7', '5', '7'].entries()) tell(0, index, text);
  const { answers, agreement } = tree.answers;
  expect(answers).toBe(4);
  expect(agreement).toBeCloseTo(1 - 0.562335 / 1.386294, 5);
});

test('an end is told how many of the answers mean the same, by value or by the group that they were put into', () => {
  const { tree, tell } = sampling(5);
  for (const [index, text] of ['7', '7.0', '5', '7', 'a\n'].entries()) tell(0, index, text);
  const ends = (text: string) => tree.nodes.find(({ step }) => step?.text === text)!;
  expect(agreeing(tree, ends('7.0'))).toEqual({ same: 3, all: 4 });
  expect(agreeing(tree, ends('5'))).toEqual({ same: 1, all: 4 });
  expect(agreeing(tree, ends('a\n'))).toBeUndefined();
  const grouped = Tree.plant('product');
  grouped.record({ type: 'opened', strand: 0, node: 0 });
  grouped.record({ type: 'asked', strand: 0, node: 0, indices: [0, 1, 2], sampling: { temperature: 1 } });
  for (const [index, group] of [11, 11, 13].entries()) {
    const step = { text: `words ${index}`, tokens: 1, meanLogprob: 0, end: 'eos' } as const;
    const shoot = { key: 11 + index, index, step, terminal: true, answer: `words ${index}`, group };
    grouped.record({ type: 'grown', node: index + 1, parent: 0, ...shoot });
  }
  expect(agreeing(grouped, grouped.node(2))).toEqual({ same: 2, all: 3 });
  expect(grouped.answers.agreement).toBeCloseTo(1 - 0.636514 / 1.098612, 5);
});
