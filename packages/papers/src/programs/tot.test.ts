import { describe, expect, it } from 'vitest';
import { toldProgram } from '../../../../tests/support/told-program.ts';
import type { Ask } from '../../../core/src/program/program.ts';
import { namedSteps, stepsIn } from '../../../core/src/tree/readings/named-steps.ts';
import { createTot, type TotOptions } from './tot.ts';

function scene(options: Partial<TotOptions>) {
  const told = toldProgram(createTot({ breadth: 2, thoughts: 2, thoughtSteps: 2, ...options }), 'mean');
  return { ...told, asks: told.allAsks };
}

const places = (asks: readonly Ask[]) => asks.map(({ node, indices }) => [node.step?.text, indices]);

describe('a tree of thoughts', () => {
  it('goes on from the best states by the value of their newest thought, and writes the best of the last level to its end', () => {
    const { program, tree, tell, asks } = scene({});
    expect(places(asks())).toEqual([[undefined, [0, 1]]]);
    tell(0, 0, 'a\n', 0.9);
    tell(0, 1, 'b\n', 0.2);
    expect(places(asks())).toEqual([
      ['a\n', [0, 1]],
      ['b\n', [0, 1]],
    ]);
    tell(1, 0, 'ac\n', 0.3);
    tell(1, 1, 'ad\n', 0.4);
    tell(2, 0, 'be\n', 0.8);
    tell(2, 1, 'bf\n', 0.1);
    // Newest thoughts 0.8 (below 0.2), 0.4, 0.3, 0.1: means of the paths would put ad (0.65) before be (0.5).
    const last = asks();
    expect(places(last)).toEqual([['be\n', [0]]]);
    expect(last[0]!.manner).toEqual({ stops: [], maxTokens: 1024 });
    tell(5, 0, '24', 0.7);
    expect(asks()).toEqual([]);
    expect(program.answer(tree)).toMatchObject({ answer: '24', text: 'b\nbe\n24', complete: true });
  });

  it('puts the words for a thought behind the path, and ends where the model ends', () => {
    const { tree, tell, asks } = scene({ breadth: 1, prompts: { thought: 'Next:', propose: '' } });
    expect(asks()[0]!.manner).toEqual({ suffix: 'Next:' });
    tell(0, 0, '24', 0.9);
    tell(0, 1, 'b\n', 0.2);
    expect(asks()).toEqual([]);
    expect(tree.closed.completed).toBe(1);
  });
});

it('leaves room for its answer on a path that may not be longer', () => {
  const { tree, tell, asks } = scene({ maxDepth: 2, thoughtSteps: 5 });
  asks();
  tell(0, 0, 'a\n', 0.9);
  tell(0, 1, 'b\n', 0.2);
  expect(asks()).toMatchObject([{ node: { reward: 0.9 }, indices: [0], manner: { stops: [] } }]);
  tell(1, 0, '24', 0.7);
  expect([tree.best?.answer, asks()]).toEqual(['24', []]);
});

describe('thoughts that one generation names', () => {
  const list = { text: ' 6 - 4 = 2\n2. 6 * 4 = 24\n3. 6 + 4 = 10\n', tokens: 20, whole: true };

  it('are children of their state, paid for once', () => {
    const { program, tree, tell, asks } = scene({
      generator: 'propose',
      prompts: { thought: '', propose: '{count}:\n1.' },
    });
    const [list0] = asks();
    expect(list0).toMatchObject({ probe: true, indices: [0], manner: { suffix: '2:\n1.', stops: [], proposed: true } });
    program.tell(tree, { probe: true, node: 0, index: 0, reply: list });
    const [children] = asks();
    expect(children).toMatchObject({ indices: [0, 1], manner: { proposed: true } });
    expect(namedSteps(tree.root)[1]).toMatchObject({ text: '6 * 4 = 24\n', tokens: 0, end: 'delimiter' });
    tell(0, 0, '6 - 4 = 2\n', 0.1);
    expect(tree.probeTokens).toBe(20);
  });

  it('are asked for once more where none is named, and then sampled', () => {
    const { program, tree, asks } = scene({ generator: 'propose' });
    asks();
    program.tell(tree, { probe: true, node: 0, index: 0, reply: { text: ' \n', tokens: 1, whole: true } });
    expect(asks()).toMatchObject([{ probe: true, indices: [1] }]);
    program.tell(tree, { probe: true, node: 0, index: 1 });
    expect(asks()).toMatchObject([{ indices: [0, 1] }]);
  });

  it('are the items of a list, or its lines; a half one is left out, the same is named once, an answer ends its path', () => {
    const named = (text: string, whole = true) => stepsIn({ text, tokens: 1, whole }).map((step) => step.text);
    expect(named(' a\n2. b\nmore of b\n3) c')).toEqual(['a\n', 'b\nmore of b\n', 'c\n']);
    expect(named('- a\n* b\n')).toEqual(['a\n', 'b\n']);
    expect(named('a\n\nb\na\n')).toEqual(['a\n', 'b\n']);
    expect(named('1. a\n2. b\n3. ha', false)).toEqual(['a\n', 'b\n']);
    expect(named('ha', false)).toEqual(['ha\n']);
    expect(named('1. 1.5 litres\n2. 2.5 litres')).toEqual(['1.5 litres\n', '2.5 litres\n']);
    expect(stepsIn({ text: '1. Answer: 24', tokens: 1, whole: true })).toMatchObject([{ end: 'eos' }]);
    expect(named('')).toEqual([]);
  });
});
