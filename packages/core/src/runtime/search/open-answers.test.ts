import { expect, it } from 'vitest';
import type { Step } from '../../tree/step.ts';
import { Tree } from '../../tree/tree.ts';
import { OpenAnswers } from './open-answers.ts';

/** A path of these steps, of which the last has come and is still to be told. */
function ended(...steps: readonly Pick<Step, 'text' | 'end'>[]) {
  const tree = Tree.plant('product');
  tree.record({ type: 'opened', strand: 0, node: 0 });
  const whole = (each: Pick<Step, 'text' | 'end'>): Step => ({ ...each, tokens: 1, meanLogprob: 0 });
  for (const [at, each] of steps.entries()) {
    tree.record({ type: 'asked', strand: 0, node: at, indices: [0], sampling: { temperature: 1 } });
    if (at === steps.length - 1) break;
    tree.record({ type: 'grown', node: at + 1, key: at + 1, parent: at, index: 0, step: whole(each), terminal: false });
    tree.record({ type: 'moved', strand: 0, node: at + 1 });
  }
  const last = { ok: true, node: steps.length - 1, index: 0, form: 0, step: whole(steps.at(-1)!) } as const;
  return { tree, last };
}

function askedFor({ tree, last }: ReturnType<typeof ended>, answer?: string): string[] {
  const asked: string[] = [];
  const open = new OpenAnswers(0.8, (texts) => asked.push(...texts));
  const outcome = answer === undefined ? last : { ...last, answer };
  expect(open.prepare(tree, outcome)).toBe(asked.length === 0);
  open.prepare(tree, outcome);
  return asked;
}

const thought = { text: 'First a thought that is over.\n\n', end: 'delimiter' } as const;

it('compares the answer that a path marks, and nothing where that is a value', () => {
  const path = ended(thought, { text: 'The answer is that the disk was full.', end: 'eos' });
  expect(askedFor(path, 'that the disk was full')).toEqual(['that the disk was full']);
  expect(askedFor(path, '18')).toEqual([]);
});

it('compares the last words of a path that marks none: a step that was cut belongs to the one behind it', () => {
  expect(askedFor(ended(thought, { text: 'The disk was full.', end: 'eos' }))).toEqual(['The disk was full.']);
  const cut = [{ text: 'The disk of the', end: 'length' } as const, { text: ' server was full.', end: 'eos' } as const];
  expect(askedFor(ended(thought, ...cut))).toEqual(['The disk of the server was full.']);
  expect(askedFor(ended(thought, { text: ' \n', end: 'eos' }))).toEqual(['First a thought that is over.']);
});

it('compares no path that has not ended, and none whose strand was preempted', () => {
  expect(askedFor(ended(thought, { text: 'The disk was full', end: 'length' }))).toEqual([]);
  const { tree, last } = ended(thought, { text: 'The disk was full.', end: 'eos' });
  tree.record({ type: 'closed', strand: 0, closing: 'preempted' });
  expect(askedFor({ tree, last })).toEqual([]);
});

it('joins the nearest group, founds one where none is near, and asks for no text twice', () => {
  const { tree, last } = ended({ text: 'The disk was full.', end: 'eos' });
  const open = new OpenAnswers(0.8, () => {});
  open.note('The disk was full.', [1, 0]);
  const founder = open.grouped(tree, last) as { group?: number };
  tree.record({
    type: 'grown',
    node: 1,
    key: founder.group!,
    parent: 0,
    index: 0,
    step: last.step,
    terminal: true,
    group: founder.group!,
  });
  tree.record({ type: 'closed', strand: 0, closing: 'ended' });
  tree.record({ type: 'opened', strand: 1, node: 0 });
  tree.record({ type: 'asked', strand: 1, node: 0, indices: [1, 2], sampling: { temperature: 1 } });
  const next = (index: number, text: string, vector: number[]) => {
    open.note(text, vector);
    return open.grouped(tree, { ...last, index, step: { ...last.step, text } }) as { group?: number };
  };
  expect(next(1, 'Full was the disk.', [0.9, 0.1]).group).toBe(founder.group);
  expect(next(2, 'A lock was held.', [0, 1]).group).not.toBe(founder.group);
});
