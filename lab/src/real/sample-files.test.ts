import { expect, it } from 'vitest';
import { drawnPaths } from '../service/index.ts';
import { endsOf } from './sample-files.ts';

const step = (text: string, tokens: number) => ({ text, tokens, meanLogprob: 0, end: 'delimiter' as const });

it('gives each sample the next draw of every node that it comes by, so that twins part below', () => {
  const nodes = [
    { draws: [1, 2, 1] },
    { step: step('twin', 3), draws: [3, 4] },
    { step: step('lone', 4), draws: [] },
    { step: step('first', 1), draws: [] },
    { step: step('third', 2), draws: [] },
  ];
  const paths = drawnPaths({ question: 'q 0', promptTokens: 1, nodes });
  expect(paths.map((path) => path.map((node) => node.step!.text))).toEqual([
    ['twin', 'first'],
    ['lone'],
    ['twin', 'third'],
  ]);
});

it('takes each end of a kept tree as a sample, as often as it was drawn, with the tokens of its whole path', () => {
  const ends = endsOf({
    question: 'q',
    nodes: [
      [0, 10, 500, 1],
      [1, 5, 900, 2, '7', 1],
      [0, 20, -1, 1],
    ],
  });
  expect(ends).toEqual([
    { tokens: 15, group: '7', right: true, score: 0.9 },
    { tokens: 15, group: '7', right: true, score: 0.9 },
    { tokens: 20, group: undefined, right: false, score: 0 },
  ]);
});
