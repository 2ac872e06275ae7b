import { expect, it } from 'vitest';
import type { Ask } from '../../../core/src/program/program.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { createRstar } from './rstar.ts';

const prompts = {
  'action-step': 'step',
  'action-finish': 'finish',
  'action-ask': 'ask',
  'action-again': 'again',
  'action-rephrase': 'rephrase',
};

function scene(branching: number) {
  const program = createRstar({ rollouts: 3, branching, prompts });
  const tree = Tree.plant('product');
  const tell = (node: number, index: number, text: string, answer?: string) => {
    const step = { text, tokens: 1, meanLogprob: 0, end: answer === undefined ? 'delimiter' : 'eos' } as const;
    program.tell(tree, { ok: true, node, index, form: 0, step, ...(answer && { answer }) });
  };
  return { program, tree, tell };
}

const words = ({ manner, indices }: Ask) => indices.map((index) => manner?.choices?.[index]?.suffix);

it('shares the draws of a node out among the actions that are open there', () => {
  const { program, tree, tell } = scene(5);
  const root = program.ask(tree, true)!;
  expect(words(root)).toEqual(['step', 'finish', 'ask', 'rephrase', 'step']);
  expect(root.manner?.choices?.[1]).toEqual({ suffix: 'finish', stops: [], maxTokens: 1024 });
  // Only the smaller question continues. Two actions drew it, and the first one counts, so it may be asked again.
  for (const [index, text] of ['7', '7', 'q\n', '8', '9'].entries())
    tell(0, index, text, text === 'q\n' ? undefined : text);
  const below = [program.ask(tree, true), program.ask(tree, true)].find((ask) => ask !== undefined)!;
  expect(words(below)).toEqual(['step', 'finish', 'ask', 'again', 'step']);
});

it('backs up the share of answers that agree with the one that a rollout came to', () => {
  const { program, tree, tell } = scene(4);
  program.ask(tree, true);
  for (const [index, answer] of ['7', '7.0', '8', '9'].entries()) tell(0, index, answer, answer);
  // Two of four answers agree. The rollout followed a random end, so it is worth 1/2 or 1/4.
  const [end] = tree.root.children;
  expect(end!.visits).toBe(1);
  expect(end!.value).toBe(end!.answer!.startsWith('7') ? 0.5 : 0.25);
  expect(program.needsVerifier).toBe(false);
  expect(program.answer(tree)?.answer).toMatch(/^7/);
  expect(program.belief?.(tree).certainty()).toEqual({ answers: 4, agreement: expect.closeTo(0.25, 12) });
});
