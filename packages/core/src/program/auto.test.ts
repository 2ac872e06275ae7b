import { expect, test } from 'vitest';
import { fault } from '../base/fault.ts';
import { readable } from '../exit/exit.ts';
import { worth } from '../exit/worth.ts';
import { Tree } from '../tree/tree.ts';
import { createAuto } from './auto.ts';
import type { Program } from './program.ts';

/** Asks for all that may be opened; gives their child indices. */
function opened(program: Program, tree: Tree): number[] {
  const indices: number[] = [];
  for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true))
    indices.push(...ask.indices);
  return indices;
}

function tell(program: Program, tree: Tree, index: number, answer: string, reward?: number): void {
  const step = { text: `${index}: ${answer}`, tokens: 200, meanLogprob: 0, end: 'eos' } as const;
  program.tell(tree, { ok: true, node: 0, index, form: 0, step, reward, answer });
}

function exitOf(program: Program, tree: Tree, price: number | undefined, rollouts = 16) {
  const belief = program.belief!(tree);
  return worth.check({
    tree,
    belief,
    limits: { threshold: 1, rollouts, price },
    nowMs: 0,
    arrivalMs: 0,
    admittedMs: 0,
  });
}

test('two samples come first, then half of what the rule expects to need', () => {
  const price = 1e-5;
  const program = createAuto({ samples: 16, price });
  const tree = Tree.plant('product');
  expect(program.demand(tree)).toBe(2);
  expect(opened(program, tree)).toEqual([0, 1]);
  tell(program, tree, 0, '7');
  expect(opened(program, tree)).toEqual([]);
  tell(program, tree, 1, '7');
  // Unanimous, it would stop at 9: e^(-1.4 √k) / 200k is 1.2e-5 after 8 and 8e-6 after 9.
  expect(program.demand(tree)).toBe(4);
  expect(program.foresee(tree, 9)).toHaveLength(4);
  expect(opened(program, tree)).toEqual([2, 3, 4, 5]);
  expect(exitOf(program, tree, price)).toBeUndefined();
});

test('the exit reads samples in their own order and gives its numbers', () => {
  const price = 4e-4;
  const program = createAuto({ samples: 16, price });
  const tree = Tree.plant('product');
  opened(program, tree);
  tell(program, tree, 1, '7');
  expect(exitOf(program, tree, price)).toBeUndefined();
  tell(program, tree, 0, '7');
  const evidence = { samples: 2, lead: readable(Math.SQRT2), spent: 400, price };
  expect(exitOf(program, tree, price)).toEqual({ kind: 'settled', rule: 'worth', evidence });
  expect(exitOf(program, tree, undefined)).toBeUndefined();
  expect(opened(program, tree)).toEqual([]);
});

test('no more samples are opened than the rollouts allow', () => {
  const program = createAuto({ samples: 3 });
  const tree = Tree.plant('product');
  for (let at = 0; at < 3; at += 1) for (const index of opened(program, tree)) tell(program, tree, index, `${index}`);
  expect(tree.closed.completed).toBe(3);
  expect(opened(program, tree)).toEqual([]);
});

test('of equal votes the answer that was found first is given', () => {
  const program = createAuto({ samples: 4 });
  const tree = Tree.plant('product');
  while (tree.closed.completed < 4)
    for (const index of opened(program, tree)) tell(program, tree, index, 'baab'[index]!);
  expect(program.answer(tree)).toMatchObject({ answer: 'b', support: 0.5 });
});

test('a judge gives votes their weights, which an exponent flattens', () => {
  const answerWith = (trust?: number) => {
    const program = createAuto({ samples: 3, judged: true, trust });
    const tree = Tree.plant('last');
    for (const [index, score] of [0.95, 0.3, 0.3].entries()) {
      opened(program, tree);
      tell(program, tree, index, index === 0 ? 'a' : 'b', score);
    }
    return program.answer(tree)?.answer;
  };
  expect([answerWith(), answerWith(1), answerWith(0)]).toEqual(['a', 'a', 'b']);
});

test('a sample that failed in the middle does not end the search', () => {
  const program = createAuto({ samples: 6 });
  const tree = Tree.plant('product');
  opened(program, tree);
  const step = { text: 'begun', tokens: 10, meanLogprob: 0, end: 'delimiter' } as const;
  program.tell(tree, { ok: true, node: 0, index: 0, form: 0, step });
  opened(program, tree);
  const { id } = tree.nodes.find(({ depth }) => depth === 1)!;
  program.tell(tree, { ok: false, node: id, index: 0, fault: fault('internal', 'test') });
  for (let open = [1]; open.length > 0; open = opened(program, tree)) {
    for (const index of open) tell(program, tree, index, '7');
  }
  expect(tree.closed).toMatchObject({ completed: 6, failed: 1 });
});
