import { expect, test } from 'vitest';
import { confidenceOf } from '../answer/confidence.ts';
import { Tree } from '../tree/tree.ts';
import { chosenAnswer, weighedAnswer } from './choice.ts';

/** Children of a node as [text, reward, samples]; a text without a newline is an answer. */
function grow(
  tree: Tree,
  parent: number,
  children: readonly (readonly [string, number | undefined, number])[],
  marked = true,
): void {
  const strand = tree.nextStrand;
  const samples = children.reduce((sum, [, , count]) => sum + count, 0);
  const indices = Array.from({ length: samples }, (_, at) => at);
  tree.record({ type: 'opened', strand, node: parent });
  tree.record({ type: 'asked', strand, node: parent, indices, sampling: { temperature: 1 } });
  let index = 0;
  for (const [text, reward, count] of children) {
    const terminal = !text.endsWith('\n');
    const step = { text, tokens: 1, meanLogprob: -0.1, end: terminal ? 'eos' : 'delimiter' } as const;
    const node = tree.nextNode;
    const known = { ...(reward === undefined ? {} : { reward }), ...(terminal && marked ? { answer: text } : {}) };
    tree.record({ type: 'grown', node, key: node, parent, index: index++, step, terminal, ...known });
    for (let more = 1; more < count; more += 1)
      tree.record({ type: 'merged', into: node, parent, index: index++, tokens: 1 });
  }
  tree.record({ type: 'closed', strand, closing: 'ended' });
}

test('answers that nothing marks are grouped by their last words', () => {
  const tree = Tree.plant('product');
  const texts = ['It is a large city in the north.', 'Paris', 'I think of France.\nParis.'] as const;
  grow(
    tree,
    0,
    texts.map((text) => [text, undefined, 1]),
    false,
  );
  const voted = chosenAnswer(tree, 'vote');
  expect(voted).toMatchObject({ answer: undefined, score: undefined, text: expect.stringContaining('Paris') });
  expect(voted?.support).toBeCloseTo(2 / 3);
});

test('the best path may lose to an answer that several paths give', () => {
  const tree = Tree.plant('product');
  grow(tree, 0, [
    ['7', 0.9, 1],
    ['5', 0.6, 1],
    ['5.0', 0.5, 1],
  ]);
  expect(chosenAnswer(tree, 'best')).toMatchObject({ answer: '7', score: 0.9 });
  const voted = chosenAnswer(tree, 'vote');
  expect(voted).toMatchObject({ answer: '5', score: 0.6 });
  expect(voted?.support).toBeCloseTo(1.1 / 2);
});

test('an answer is as likely right as the samples that say it and the mean of their scores tell', () => {
  const tree = Tree.plant('product');
  grow(tree, 0, [
    ['7', 0.9, 1],
    ['5', 0.6, 3],
    ['5.0', 0.5, 1],
  ]);
  const best = chosenAnswer(tree, 'best')!;
  const voted = chosenAnswer(tree, 'vote')!;
  const weighed = (answer: typeof best, isJudged = true) => weighedAnswer(tree, answer, isJudged);
  expect(weighed(voted)).toEqual({ ...voted, samples: 5, confidence: expect.any(Number) });
  expect(weighed(voted).confidence).toBeCloseTo(confidenceOf({ share: 4 / 5, samples: 5, score: 0.55 }), 4);
  expect(weighed(voted, false).confidence).toBeCloseTo(confidenceOf({ share: 4 / 5, samples: 5 }), 4);
  expect(weighed(best).confidence).toBeCloseTo(confidenceOf({ share: 1 / 5, samples: 5, score: 0.9 }), 4);
  const open = { ...voted, answer: undefined };
  expect(weighed(open)).toEqual(open);
});

test('a majority counts heads where a weighted vote counts scores', () => {
  const tree = Tree.plant('product');
  grow(tree, 0, [
    ['7', 0.9, 1],
    ['5', 0.3, 2],
  ]);
  expect(chosenAnswer(tree, 'vote')).toMatchObject({ answer: '7' });
  const chosen = chosenAnswer(tree, 'majority');
  expect(chosen).toMatchObject({ answer: '5' });
  expect(chosen?.support).toBeCloseTo(2 / 3);
});

test('a rare branch that was looked at closely does not outvote a common one', () => {
  const tree = Tree.plant('product');
  grow(tree, 0, [
    ['12*3=36\n', 0.9, 3],
    ['12*3=38\n', 0.9, 1],
  ]);
  grow(tree, 1, [['36', 1, 1]]);
  grow(tree, 2, [
    ['38', 1, 2],
    [' 38', 1, 1],
    ['38.0', 1, 1],
  ]);
  expect(chosenAnswer(tree, 'vote')).toMatchObject({ answer: '36', support: 0.75 });
});

test('without rewards every sample counts alike', () => {
  const tree = Tree.plant('product');
  grow(tree, 0, [
    ['1', undefined, 1],
    ['2', undefined, 2],
  ]);
  const voted = chosenAnswer(tree, 'vote');
  expect(voted?.answer).toBe('2');
  expect(voted?.support).toBeCloseTo(2 / 3);
});

test('before a path gives an answer there is the best beginning, and before a step nothing', () => {
  const tree = Tree.plant('product');
  expect(chosenAnswer(tree, 'vote')).toBeUndefined();
  grow(tree, 0, [
    ['a\n', 0.5, 1],
    ['b\n', 0.7, 1],
  ]);
  expect(chosenAnswer(tree, 'vote')).toMatchObject({ text: 'b\n', complete: false });
});
