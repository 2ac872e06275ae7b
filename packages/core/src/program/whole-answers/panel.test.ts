// Rounds worked by hand: who answers, when it is decided, and who is shown what where it is not.

import { expect, test } from 'vitest';
import { type FaultCode, fault } from '../../base/fault.ts';
import { Tree } from '../../tree/tree.ts';
import { createPanel, panel } from './panel.ts';

function scene(samples = 3, { synthesizer }: { synthesizer?: string } = { synthesizer: 'big' }) {
  const prompt = 'Look:\n{attempts}\nSo:\n';
  const program = createPanel({ models: ['small', 'big'], samples, synthesizer, prompt });
  const tree = Tree.plant('product');
  const asks = () => {
    const wanted = [];
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) wanted.push(ask);
    return wanted;
  };
  const tell = (index: number, answer?: string) => {
    const step = { text: `by ${index}: ${answer}`, tokens: 5, meanLogprob: 0, end: 'eos' } as const;
    program.tell(tree, { ok: true, node: 0, index, form: 0, step, answer });
  };
  const fail = (index: number, model: string, code: FaultCode) => {
    program.tell(tree, { ok: false, node: 0, index, fault: fault(code, ''), model });
  };
  const round = (...answers: (string | undefined)[]) => {
    const wanted = asks();
    for (const [at, { indices }] of wanted.entries()) tell(indices[0]!, answers[at]);
    return wanted.map(({ indices, manner }) => [indices[0], manner?.model]);
  };
  return { program, tree, asks, tell, fail, round };
}

test('a round is one sample of each model, and the next begins when it is whole', () => {
  const { program, tree, asks, tell } = scene();
  expect(asks().map(({ indices, manner }) => [indices, manner])).toEqual([
    [[0], { stops: [], maxTokens: 1024, model: 'small' }],
    [[1], { stops: [], maxTokens: 1024, model: 'big' }],
  ]);
  tell(1, '7');
  expect(asks()).toEqual([]);
  expect(program.belief?.(tree).votes()).toEqual([]);
  tell(0, '8');
  expect(program.belief?.(tree).votes()).toHaveLength(2);
  expect(asks().map(({ indices }) => indices)).toEqual([[2], [3]]);
});

test('more than half of all samples decide it, and nothing is put together', () => {
  const { program, tree, round, asks } = scene();
  round('7', '7');
  expect(program.belief?.(tree).conclusion?.()).toBeUndefined();
  round('7.0', '7');
  expect(program.belief?.(tree).conclusion?.()).toEqual({
    rule: 'majority',
    evidence: { leader: 4, rival: 0, samples: 6, left: 2 },
  });
  expect(asks()).toEqual([]);
  expect(program.answer(tree)).toMatchObject({ answer: '7', support: 1 });
});

test('where no majority is possible any more, the synthesizer is shown the different answers at once', () => {
  const { program, tree, round, asks, tell } = scene();
  round('1', '2');
  expect(round('3', '4')).toEqual([
    [2, 'small'],
    [3, 'big'],
  ]);
  // One vote for each, and two samples left: three of six are no majority.
  const [synthesis, ...more] = asks();
  expect(more).toEqual([]);
  expect(synthesis).toMatchObject({ indices: [6], manner: { model: 'big', stops: [] } });
  const shown = synthesis!.manner!.sources!.map((key) => tree.nodeOf(key)!);
  expect(shown.map(({ answer }) => answer)).toEqual(['1', '2', '3', '4']);
  expect(synthesis!.manner!.suffix).toBe('Look:\n{attempts}\nSo:\n');
  expect(program.answer(tree)).toMatchObject({ answer: '1' });
  tell(6, '5');
  expect(program.answer(tree)).toMatchObject({ answer: '5' });
  expect(asks()).toEqual([]);
});

test('where no synthesizer is named the vote decides, as soon as the samples that are left cannot change it', () => {
  const { program, tree, round, asks } = scene(3, {});
  round('1', '2');
  round('2', '3');
  // Two votes against one each, and two samples left: one that ties is still possible.
  expect(program.belief?.(tree).conclusion?.()).toBeUndefined();
  round('2', '4');
  expect(program.belief?.(tree).conclusion?.()).toEqual({
    rule: 'majority',
    evidence: { leader: 3, rival: 1, samples: 6, left: 0 },
  });
  expect(asks()).toEqual([]);
  expect(program.answer(tree)).toMatchObject({ answer: '2', support: 0.5 });
  const early = scene(3, {});
  early.round('1', '1');
  early.round('1', '2');
  expect(early.program.belief?.(early.tree).conclusion?.()).toBeUndefined();
  early.round('1', '2');
  expect(early.program.belief?.(early.tree).conclusion?.()).toMatchObject({ evidence: { leader: 4, rival: 2 } });
  const long = scene(4, {});
  long.round('1', '1');
  long.round('1', '2');
  long.round('1', '3');
  // Four of eight are no majority, and three more than the next with two left.
  expect(long.program.belief?.(long.tree).conclusion?.()).toMatchObject({ evidence: { leader: 4, rival: 1, left: 2 } });
});

test('a tie of the vote is that of the answer that came first, and nothing is put together', () => {
  const { program, tree, round, asks } = scene(1, {});
  round('1', '2');
  expect([asks(), program.belief?.(tree).conclusion?.()]).toEqual([[], undefined]);
  expect(program.answer(tree)).toMatchObject({ answer: '1', support: 0.5 });
});

test('a tie after the last round is put together, and a synthesis without an answer leaves the vote', () => {
  const { program, tree, round, asks, tell } = scene(1);
  round('1', '2');
  expect(asks().map(({ indices }) => indices)).toEqual([[2]]);
  tell(2, undefined);
  expect(program.answer(tree)).toMatchObject({ answer: '1', support: 0.5 });
});

test('samples without an answer are no votes', () => {
  const { program, tree, round, asks } = scene(1);
  round(undefined, '2');
  expect(program.belief?.(tree).conclusion?.()).toBeUndefined();
  expect(asks()[0]).toMatchObject({ indices: [2] });
});

test('one rollout is kept for the synthesis', () => {
  const sampling = { temperature: 1 };
  const size = { branching: 1, maxDepth: 1, sampling, choose: 'best', prompts: { aggregate: '' } } as const;
  const program = panel.create({ ...size, rollouts: 8, models: ['a', 'b'], synthesizer: 'a' }, { answerTokens: 10 });
  const tree = Tree.plant('product');
  const samples = [];
  for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) {
    samples.push(ask.manner?.sources === undefined);
    const step = { text: `${samples.length}`, tokens: 1, meanLogprob: 0, end: 'length' } as const;
    program.tell(tree, { ok: true, node: 0, index: ask.indices[0]!, form: 0, step });
  }
  expect(samples).toEqual([true, true, true, true, false]);
});

test('another stands in for a model that is out, in its samples and in the synthesis', () => {
  const { program, tree, asks, tell, fail, round } = scene();
  asks();
  fail(1, 'big', 'timeout');
  expect(tree.absences.all).toEqual([{ model: 'big', code: 'timeout' }]);
  expect(asks().map(({ indices, manner }) => [indices[0], manner?.model])).toEqual([[1, 'small']]);
  tell(0, '1');
  tell(1, '2');
  expect(round('3', '4')).toEqual([
    [2, 'small'],
    [3, 'small'],
  ]);
  expect(asks()[0]).toMatchObject({ indices: [6], manner: { model: 'small' } });
  tell(6, '5');
  expect([program.answer(tree)?.answer, tree.failuresInARow]).toEqual(['5', 0]);
});

test('a model that answers badly is asked three times, and where all are out nothing more is asked', () => {
  const { program, tree, asks, tell, fail } = scene();
  asks();
  tell(0, '7');
  for (const next of ['big', 'big', 'small']) {
    fail(1, 'big', 'bad-step');
    expect(asks()).toMatchObject([{ indices: [1], manner: { model: next } }]);
  }
  fail(1, 'small', 'refused');
  expect([asks(), tree.absences.isTotal]).toEqual([[], true]);
  expect(program.answer(tree)).toMatchObject({ answer: '7' });
});

test('failures of a model that was known to be out count, so that a program that never looks comes to an end', () => {
  const tree = Tree.plant('product');
  const ask = (strand: number) => {
    tree.record({ type: 'opened', strand, node: 0 });
    const how = { sampling: { temperature: 1 }, manner: { model: 'big' } };
    tree.record({ type: 'asked', strand, node: 0, indices: [0], ...how });
    tree.record({ type: 'withered', parent: 0, index: 0, code: 'refused', model: 'big' });
    tree.record({ type: 'closed', strand, closing: 'failed' });
  };
  ask(0);
  expect(tree.failuresInARow).toBe(0);
  ask(1);
  expect(tree.failuresInARow).toBe(1);
});
