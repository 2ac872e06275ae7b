// A knockout worked by hand: who is compared with whom, what a judge that only looks at places decides, and what is asked again.

import { expect, test } from 'vitest';
import { fault } from '../../../core/src/base/fault.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { createPairwise } from './pairwise.ts';

type Judge = (first: string | undefined, second: string | undefined) => string | undefined;

function scene(answers: readonly (string | undefined)[], judge: Judge) {
  const prompt = '[{first}] or [{second}]?';
  const program = createPairwise({ models: ['small', 'big'], samples: answers.length, judge: 'big', prompt });
  const tree = Tree.plant('product');
  const compared: string[] = [];
  const asks = () => {
    const wanted = [];
    for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) wanted.push(ask);
    return wanted;
  };
  for (let wanted = asks(); wanted.length > 0; wanted = asks()) {
    for (const { indices, probe, manner } of wanted) {
      const index = indices[0]!;
      if (probe === undefined) {
        const answer = answers[index];
        const step = { text: `${index} says ${answer}`, tokens: 3, meanLogprob: 0, end: 'eos' } as const;
        program.tell(tree, { ok: true, node: 0, index, form: 0, step, answer });
        continue;
      }
      const shown = manner!.sources!.map((key) => tree.nodeOf(key)!);
      expect([manner?.model, program.compose?.(tree, shown)]).toEqual([
        'big',
        `[${shown[0]!.step!.text}] or [${shown[1]!.step!.text}]?`,
      ]);
      compared.push(`${shown[0]!.answer} ${shown[1]!.answer}`);
      const text = judge(shown[0]!.answer, shown[1]!.answer);
      program.tell(tree, {
        probe: true,
        node: 0,
        index,
        reply: text === undefined ? undefined : { text, tokens: 1, whole: true },
      });
    }
  }
  return { program, tree, compared };
}

/** Prefers the higher number. */
const honest: Judge = (first, second) => (Number(first) > Number(second) ? ' 1.' : ' 2, because');

test('one path of each different answer goes through the bracket, both ways each time', () => {
  const { program, tree, compared } = scene(['1', '3', '1', '2'], honest);
  expect(compared).toEqual(['1 3', '3 1', '3 2', '2 3']);
  expect(program.answer(tree)).toMatchObject({ answer: '3', support: 1 / 4 });
  expect([tree.strands.size, tree.closed.completed]).toEqual([0, 4]);
});

test('a judge that prefers a place, that names none or that fails leaves the answer with the most samples', () => {
  for (const judge of [() => '1', () => 'neither of the 12', () => undefined]) {
    const { program, tree } = scene(['1', '3', '3', '2'], judge);
    expect(program.answer(tree)).toMatchObject({ answer: '3', support: 1 / 2 });
  }
});

test('answers that all agree are not compared, and what gives no answer stands for itself', () => {
  expect(scene(['1', '1.0', '1'], honest).compared).toEqual([]);
  const { compared } = scene([undefined, '2'], honest);
  expect(compared).toEqual(['undefined 2', '2 undefined']);
});

test('nothing is compared before the last sample has come', () => {
  const program = createPairwise({ samples: 2 });
  const tree = Tree.plant('product');
  const first = program.ask(tree, true);
  program.ask(tree, true);
  const step = { text: 'a', tokens: 1, meanLogprob: 0, end: 'eos' } as const;
  program.tell(tree, { ok: true, node: 0, index: first!.indices[0]!, form: 0, step, answer: '1' });
  expect(program.ask(tree, true)).toBeUndefined();
});

test('another model compares where the judge is out', () => {
  const program = createPairwise({ models: ['small', 'big'], samples: 2, judge: 'big' });
  const tree = Tree.plant('product');
  for (const answer of ['1', '2']) {
    const index = program.ask(tree, true)!.indices[0]!;
    const step = { text: answer, tokens: 1, meanLogprob: 0, end: 'eos' } as const;
    program.tell(tree, { ok: true, node: 0, index, form: 0, step, answer });
  }
  const first = program.ask(tree, true)!;
  expect(first).toMatchObject({ probe: true, manner: { model: 'big' } });
  program.tell(tree, { probe: true, node: 0, index: first.indices[0]!, fault: fault('refused', ''), model: 'big' });
  expect(program.ask(tree, true)).toMatchObject({ probe: true, manner: { model: 'small' } });
});
