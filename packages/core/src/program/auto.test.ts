import { expect, test } from 'vitest';
import { fault } from '../base/fault.ts';
import { readable } from '../exit/exit.ts';
import { worth } from '../exit/worth.ts';
import type { Judging } from '../tree/events.ts';
import { Tree } from '../tree/tree.ts';
import { createAuto } from './auto.ts';
import type { Program } from './program.ts';

function planted(price?: number, judge?: Judging): Tree {
  const tree = Tree.plant('product');
  if (price !== undefined) tree.record({ type: 'priced', price, judge });
  return tree;
}

/** Asks for all that may be opened; gives the child indices of draws, and the nodes that are to be read. */
function asked(program: Program, tree: Tree) {
  const [drawn, read]: [number[], number[]] = [[], []];
  for (let ask = program.ask(tree, true); ask !== undefined; ask = program.ask(tree, true)) {
    if (ask.probe) read.push(ask.node.id);
    else drawn.push(...ask.indices);
  }
  return { drawn, read };
}

function tell(program: Program, tree: Tree, index: number, answer: string): void {
  const step = { text: `${index}: ${answer}`, tokens: 200, meanLogprob: 0, end: 'eos' } as const;
  program.tell(tree, { ok: true, node: 0, index, form: 0, step, answer });
}

function tellScore(program: Program, tree: Tree, node: number, reward: number): void {
  program.tell(tree, { probe: true, node, index: 0, reply: { text: '', tokens: 0, whole: true, reward } });
}

function exitOf(tree: Tree, price: number | undefined, rollouts = 16) {
  const belief = { votes: () => [], certainty: () => ({ answers: 0, agreement: 0 }) };
  return worth.check({
    tree,
    belief,
    limits: { threshold: 1, rollouts, price },
    nowMs: 0,
    arrivalMs: 0,
    admittedMs: 0,
  });
}

test('two samples come first where nothing is known, then half of what the rule expects to need', () => {
  const price = 7.5e-5;
  const program = createAuto({ samples: 16 });
  const tree = planted(price);
  expect([program.naturalWidth, program.demand(tree)]).toEqual([2, 2]);
  expect(asked(program, tree).drawn).toEqual([0, 1]);
  tell(program, tree, 0, 'a');
  // All alike, e^(-1.4 √k) / 200k would be 7.6e-5 after 4 and 4.4e-5 after 5: no fewer settle it, whatever the second says.
  expect(program.demand(tree)).toBe(4);
  expect(asked(program, tree).drawn).toEqual([2, 3, 4]);
  for (const [index, answer] of ['b', 'a', 'b', 'c'].entries()) tell(program, tree, index + 1, answer);
  // Half of the 14 more that a tie of two is expected to need are 9 in all; by now 10 are needed at least.
  expect(program.demand(tree)).toBe(5);
  expect(program.foresee(tree, 9)).toHaveLength(5);
  expect(exitOf(tree, price)).toBeUndefined();
});

test('the first wave is what could settle a question, twice as much in a hurry, three times where it may be the last', () => {
  const program = createAuto({ samples: 16 });
  const first = (usual: number, hurried?: true, late?: true) => {
    const tree = Tree.plant('product');
    tree.record({ type: 'priced', price: 1.3e-4, usual, hurried, late });
    return asked(program, tree).drawn.length;
  };
  // e^(-1.4 √3) / 900 = 9.8e-5, e^(-1.4 √2) / 1200 = 1.2e-4.
  expect([first(300), first(300, true), first(600), first(600, true)]).toEqual([3, 6, 2, 4]);
  expect([first(300, undefined, true), first(300, true, true)]).toEqual([3, 9]);
});

test('where few waves fit into the time that is left, the judge reads each sample as it comes', () => {
  const program = createAuto({ samples: 16 });
  const tree = Tree.plant('product');
  const terms = { price: 7.5e-5, judge: { cost: 1, trust: 0.5 } } as const;
  tree.record({ type: 'priced', ...terms });
  expect(asked(program, tree).drawn).toEqual([0, 1]);
  tell(program, tree, 1, 'a');
  expect(asked(program, tree)).toEqual({ drawn: [2, 3, 4], read: [] });
  tell(program, tree, 3, 'b');
  expect(asked(program, tree).read).toEqual([]);
  tree.record({ type: 'priced', ...terms, late: true });
  expect(asked(program, tree).read).toEqual([1, 2]);
  tellScore(program, tree, 1, 0.2);
  tellScore(program, tree, 2, 0.9);
  expect(program.answer(tree)?.answer).toBe('b');
  tree.record({ type: 'priced', ...terms, judge: { cost: 1, trust: 0 }, late: true });
  tell(program, tree, 4, 'b');
  expect(asked(program, tree).read).toEqual([]);
});

test('in a hurry all that are expected to be needed come at once', () => {
  const program = createAuto({ samples: 16 });
  const tree = Tree.plant('product');
  tree.record({ type: 'priced', price: 7.5e-5, hurried: true });
  const first = asked(program, tree).drawn;
  expect(first).toEqual([0, 1, 2, 3]);
  for (const index of first) tell(program, tree, index, 'abab'[index]!);
  expect(program.demand(tree)).toBe(12);
});

test('the exit reads samples in their own order and gives its numbers', () => {
  const price = 4e-4;
  const program = createAuto({ samples: 16 });
  const tree = planted(price);
  asked(program, tree);
  tell(program, tree, 1, '7');
  expect(exitOf(tree, price)).toBeUndefined();
  tell(program, tree, 0, '7');
  const evidence = { samples: 2, lead: readable(Math.SQRT2), spent: 400, price };
  expect(exitOf(tree, price)).toEqual({ kind: 'settled', rule: 'worth', evidence });
  expect(exitOf(tree, price / 4)?.evidence).toEqual({ ...evidence, load: 4 });
  expect(exitOf(tree, undefined)).toBeUndefined();
  expect(asked(program, tree)).toEqual({ drawn: [], read: [] });
});

test('no more samples are opened than the rollouts allow', () => {
  const program = createAuto({ samples: 3 });
  const tree = planted();
  for (let at = 0; at < 3; at += 1)
    for (const index of asked(program, tree).drawn) tell(program, tree, index, `${index}`);
  expect(tree.closed.completed).toBe(3);
  expect(asked(program, tree).drawn).toEqual([]);
});

test('of equal votes the answer that was found first is given', () => {
  const program = createAuto({ samples: 4 });
  const tree = planted();
  for (const index of asked(program, tree).drawn) tell(program, tree, index, 'baab'[index]!);
  expect(program.answer(tree)).toMatchObject({ answer: 'b', support: 0.5 });
});

/** All samples at once, then their readings: the score of an answer is its place in the alphabet. */
function judgedTree(answers: string, judge: Judging, price = 1e-6) {
  const program = createAuto({ samples: answers.length });
  const tree = planted(price, judge);
  let { drawn, read } = asked(program, tree);
  for (; drawn.length > 0; { drawn, read } = asked(program, tree))
    for (const index of drawn) tell(program, tree, index, answers[index]!);
  for (const node of read) tellScore(program, tree, node, (tree.node(node).answer!.charCodeAt(0) - 96) / 10);
  return { program, tree, read: read.map((id) => tree.node(id).answer).join('') };
}

test('where they disagree the judge reads four samples of each of three answers, and odds weigh the votes', () => {
  const { program, tree, read } = judgedTree('aiaiaiaiabc', { cost: 2, trust: 1 }, 2e-4);
  expect(read).toBe('aaaaiiiib');
  expect(program.answer(tree)).toMatchObject({ answer: 'i', score: 0.9, support: 4 / 11 });
  expect(exitOf(tree, 2e-4, 11)).toMatchObject({ kind: 'settled', rule: 'worth', evidence: { samples: 11 } });
  expect(tree.closed).toMatchObject({ completed: 11, ended: 9 });
});

test('where that settles nothing and is worth it, it reads the rest', () => {
  const judge = { cost: 0.1, trust: 1 };
  const { program, tree, read } = judgedTree('aaaaabbbbbbcd', judge);
  expect(read).toBe('bbbbaaaac');
  expect(asked(program, tree).read).toHaveLength(4);
});

test('a judge whose reading is worth more than drawing reads as soon as answers disagree, and what is new after each wave', () => {
  const course = (judge: Judging) => {
    const program = createAuto({ samples: 16 });
    const tree = planted(7.5e-5, judge);
    for (const index of asked(program, tree).drawn) tell(program, tree, index, 'ab'[index]!);
    const first = asked(program, tree);
    for (const node of first.read) tellScore(program, tree, node, 0.5);
    for (const index of [...first.drawn, ...asked(program, tree).drawn]) tell(program, tree, index, 'a');
    return [first, asked(program, tree).read.length];
  };
  // 1.5 · 0.2 is 0.3. Read, the two are still even: half of 14 more are drawn, and four samples of a are read in all; a dearer judge has a glance at the end.
  expect(course({ cost: 0.3, trust: 0.2 })).toEqual([{ drawn: [], read: [1, 2] }, 3]);
  expect(course({ cost: 0.31, trust: 0.2 })).toEqual([{ drawn: [2, 3, 4, 5, 6, 7, 8], read: [] }, 1]);
});

test('a judge that is not trusted weighs nothing', () => {
  const { program, tree } = judgedTree('aaiib', { cost: 1, trust: 0 });
  expect(program.answer(tree)).toMatchObject({ answer: 'a', score: 0.1 });
});

test('a judge that is too dear is not asked, and a cheap one reads the leading answer where all agree', () => {
  expect(judgedTree('aaiib', { cost: 20, trust: 1 }, 1e-3).read).toBe('');
  expect(judgedTree('bbbb', { cost: 1, trust: 1 }).read).toBe('');
  expect(judgedTree('bbbb', { cost: 0.3, trust: 1 }).read).toBe('b');
});

test('a new judge reads all of a split vote for its audit, which changes no answer, and no more than one sample if it fails', () => {
  const dear: Judging = { cost: 5000, trust: 1, isNew: true };
  const stopped = (answers: string) => {
    const { program, tree, read } = judgedTree(answers, dear);
    const rest = asked(program, tree).read;
    for (const node of rest) tellScore(program, tree, node, 0.9);
    return {
      read,
      rest: rest.length,
      ended: exitOf(tree, 1e-6, answers.length)?.rule,
      answer: program.answer(tree)?.answer,
    };
  };
  // Scored 0.1 and 0.9, a weight would have turned three to two.
  expect(stopped('aaaii')).toEqual({ read: 'a', rest: 4, ended: 'rollouts', answer: 'a' });
  expect(stopped('aai').rest).toBe(2);
  for (const unsplit of ['aaaa', 'aaii', 'aabcd']) expect(stopped(unsplit).read).toBe('');
  const program = createAuto({ samples: 3 });
  const tree = planted(1e-6, dear);
  let { drawn, read } = asked(program, tree);
  for (; drawn.length > 0; { drawn, read } = asked(program, tree))
    for (const index of drawn) tell(program, tree, index, 'aab'[index]!);
  expect(read).toHaveLength(1);
  for (const node of read) program.tell(tree, { probe: true, node, index: 0 });
  expect(asked(program, tree).read).toEqual([]);
});

test('a reading that fails counts as none, and is not asked for again', () => {
  const program = createAuto({ samples: 2 });
  const tree = planted(1e-6, { cost: 1, trust: 1 });
  for (const index of asked(program, tree).drawn) tell(program, tree, index, 'ab'[index]!);
  const { read } = asked(program, tree);
  expect(read).toHaveLength(2);
  for (const node of read) program.tell(tree, { probe: true, node, index: 0 });
  expect(asked(program, tree)).toEqual({ drawn: [], read: [] });
  expect(program.answer(tree)).toMatchObject({ answer: 'a', score: undefined });
  expect(exitOf(tree, 1e-6, 2)?.rule).toBe('rollouts');
});

test('a reading that was preempted is asked for again', () => {
  const program = createAuto({ samples: 2 });
  const tree = planted(1e-6, { cost: 1, trust: 1 });
  for (const index of asked(program, tree).drawn) tell(program, tree, index, 'ab'[index]!);
  const first = asked(program, tree).read;
  for (const strand of [...tree.strands.keys()]) tree.record({ type: 'closed', strand, closing: 'preempted' });
  expect(asked(program, tree).read).toEqual(first);
});

test('a sample that failed in the middle does not end the search', () => {
  const program = createAuto({ samples: 6 });
  const tree = planted();
  asked(program, tree);
  const step = { text: 'begun', tokens: 10, meanLogprob: 0, end: 'delimiter' } as const;
  program.tell(tree, { ok: true, node: 0, index: 0, form: 0, step });
  asked(program, tree);
  const { id } = tree.nodes.find(({ depth }) => depth === 1)!;
  program.tell(tree, { ok: false, node: id, index: 0, fault: fault('internal', 'test') });
  for (let open = [1, 2, 3, 4, 5]; open.length > 0; open = asked(program, tree).drawn) {
    for (const index of open) tell(program, tree, index, '7');
  }
  expect(tree.closed).toMatchObject({ completed: 6, failed: 1 });
});

test('turns that mean nothing are asked for once more, in words of the user, and only where all of them do', () => {
  const repair = 'wrong: {turn}';
  const program = createAuto({ samples: 2, repair });
  const tree = Tree.plant('product');
  tree.record({ type: 'priced', price: 1e-9, least: 1 });
  expect(asked(program, tree).drawn).toEqual([0, 1]);
  const broken = (index: number, turn?: string) => {
    const step = { text: `broken ${index}`, tokens: 20, meanLogprob: 0, end: 'eos', ...(turn && { turn }) } as const;
    program.tell(tree, { ok: true, node: 0, index, form: 0, step });
  };
  broken(0);
  expect(program.ask(tree, true)).toBeUndefined();
  broken(1);
  expect([program.ask(tree, false), program.foresee(tree, 9), exitOf(tree, 1e-9, 2)]).toEqual([
    undefined,
    [],
    undefined,
  ]);
  const ask = program.ask(tree, true);
  expect(ask).toMatchObject({
    indices: [2],
    manner: { byUser: true, suffix: 'wrong: {turn}', sources: [tree.node(1).key] },
  });
  expect([program.ask(tree, true), exitOf(tree, 1e-9, 2)]).toEqual([undefined, undefined]);
  broken(2, 'wrong: broken 0');
  expect(asked(program, tree).drawn).toEqual([]);
  expect(exitOf(tree, 1e-9, 2)).toMatchObject({ kind: 'exhausted' });
  const one = Tree.plant('product');
  one.record({ type: 'priced', price: 1e-9, least: 1 });
  asked(program, one);
  tell(program, one, 0, 'a');
  program.tell(one, {
    ok: true,
    node: 0,
    index: 1,
    form: 0,
    step: { text: 'x', tokens: 9, meanLogprob: 0, end: 'eos' },
  });
  expect([asked(program, one).drawn, program.answer(one)?.answer]).toEqual([[], 'a']);
});

test.each([
  [undefined, 4],
  [800, 2],
])(
  'turns that agree are drawn while that is worth their price, a short one at the least of %s tokens',
  (least, drawn) => {
    const program = createAuto({ samples: 16 });
    const tree = Tree.plant('product');
    tree.record({ type: 'priced', price: 1.3e-4, least });
    let count = 0;
    for (let open = asked(program, tree).drawn; open.length > 0; open = asked(program, tree).drawn)
      for (const index of open) {
        count += 1;
        tell(program, tree, index, '7');
      }
    expect(count).toBe(drawn);
  },
);
