import type { PathStep } from '@coppice/core/engine';
import { nodeKey, rootKey, type Step } from '@coppice/core/tree';
import { describe, expect, it } from 'vitest';
import { generateRequest } from '../../../tests/support/requests.ts';
import { type RecordedTree, RecordedTrees } from './recorded-trees.ts';

function pathOf(...steps: readonly Step[]): PathStep[] {
  const path: PathStep[] = [];
  for (const step of steps) path.push({ key: nodeKey(path.at(-1)?.key ?? rootKey, step), step });
  return path;
}

const line = (text: string): Step => ({ text, tokens: 3, meanLogprob: -0.1, end: 'delimiter' });
const end = (text: string): Step => ({ text, tokens: 2, meanLogprob: -0.1, end: 'eos' });

/** Three draws of the root, two of them twins; below one of them an end. */
const tree: RecordedTree = {
  question: 'q',
  promptTokens: 7,
  nodes: [
    { draws: [1, 2, 1] },
    { step: line('a\n'), reward: 0.9, draws: [3] },
    { step: line('b\n'), reward: 0.2, draws: [] },
    { step: end('Answer: 4'), reward: 1, answer: '4', right: true, draws: [] },
  ],
};
const header = { format: 'coppice-trees', version: 1, model: 'm', modelHash: 'h', verifier: 'v', samples: 3, seed: 1 };
const text = (head: object, trees: readonly object[] = [tree]) =>
  [head, ...trees].map((each) => JSON.stringify(each)).join('\n');

describe('recorded trees', () => {
  const trees = RecordedTrees.parse('file', text(header));
  const prompt = trees.promptOf(0, 1);
  const draws = (seed: number, ...steps: Step[]) =>
    [0, 1, 2].map((index) =>
      trees.draw({ ...generateRequest(index, { index, seed: seed + index }), prompt, path: pathOf(...steps) }),
    );

  it('give every recorded draw once, in an order of the seed, and then come round', () => {
    const texts = [10, 11, 12, 13].map((seed) => draws(seed).map((step) => step.text));
    for (const each of texts) expect([...each].sort()).toEqual(['a\n', 'a\n', 'b\n']);
    expect(new Set(texts.map((each) => each.join())).size).toBeGreaterThan(1);
    expect(draws(1, line('a\n')).map((step) => step.text)).toEqual(['Answer: 4', 'Answer: 4', 'Answer: 4']);
  });

  it('give whole samples, whose steps are told apart by the delimiter', () => {
    const request = {
      ...generateRequest(0, { index: 0, seed: 10 }),
      prompt,
      path: [],
      whole: true,
      delimiters: ['\n\n'],
    };
    const samples = [0, 1, 2].map((index) => trees.draw({ ...request, index, seed: 10 + index }));
    const once = { text: 'a\n\nAnswer: 4', tokens: 5, end: 'eos' };
    expect(samples.filter(({ text }) => text === once.text)[0]).toMatchObject(once);
    expect(trees.reward(prompt, pathOf(line('a\n\n')), end('Answer: 4'))).toBe(1);
  });

  it('know rewards and right answers', () => {
    expect(trees.reward(prompt, [], line('a\n'))).toBe(0.9);
    expect(trees.reward(prompt, pathOf(line('a\n')), end('Answer: 4'))).toBe(1);
    expect([trees.isRight(prompt, '4'), trees.isRight(prompt, '5'), trees.promptTokens(prompt)]).toEqual([
      true,
      false,
      7,
    ]);
  });

  it('go on where the recorded search did not, below the most alike node of the tree, and end where there is none', () => {
    expect(draws(1, line('b\n'))[0]).toMatchObject(end('Answer: 4'));
    expect(trees.reward(prompt, pathOf(line('b\n')), end('Answer: 4'))).toBe(1);
    // Depth before reward: at depth 2 stands one node that goes on, of another reward.
    const nodes = [
      { draws: [1, 2] },
      { step: line('a\n'), reward: 0.9, draws: [3, 4] },
      { step: line('b\n'), reward: 0.2, draws: [5] },
      { step: line('c\n'), reward: 0.1, draws: [6] },
      { step: line('d\n'), reward: 0.8, draws: [] },
      { step: end('Answer: 1'), reward: 0.2, answer: '1', right: false, draws: [] },
      { step: end('Answer: 2'), reward: 0.1, answer: '2', right: false, draws: [] },
    ];
    const deep = RecordedTrees.parse('file', text(header, [{ ...tree, nodes }]));
    const request = { ...generateRequest(0, { index: 0, seed: 1 }), prompt: deep.promptOf(0, 1) };
    const below = (...steps: Step[]) => deep.draw({ ...request, path: pathOf(...steps) }).text;
    expect([below(line('a\n'), line('d\n')), below(line('b\n'))]).toEqual(['Answer: 2', 'Answer: 1']);
    const alone = RecordedTrees.parse('file', text(header, [{ ...tree, nodes: [{ draws: [1] }, tree.nodes[2]!] }]));
    const open = { ...request, prompt: alone.promptOf(0, 1), path: pathOf(line('b\n')) };
    expect(alone.draw(open)).toMatchObject({ end: 'eos', text: 'unseen' });
  });

  it('refuse another format, another version and broken lines, in one line', () => {
    for (const [bad, why] of [
      ['{"a":1}', /^.*file is no recording of trees/],
      [text({ ...header, version: 2 }), /file is a recording of version 2; this is version 1/],
      [`${text(header)}\n{`, /file is no recording of trees: line 3 is not JSON/],
      ['', /no recording/],
      [text(header, []), /without trees/],
      [text(header, [{ question: 'q' }]), /line 2 has no question with its tokens/],
      [text(header, [{ ...tree, nodes: [] }]), /line 2 has no nodes/],
      [text(header, [{ ...tree, nodes: [{ draws: [1] }] }]), /line 2 has a node 0 without its draws/],
      [text(header, [{ ...tree, nodes: [{ draws: [1] }, { draws: [] }] }]), /line 2 has a node 1 without a step/],
    ] as const) {
      expect(() => RecordedTrees.parse('file', bad)).toThrow(why);
    }
  });
});
