import { expect, it, vi } from 'vitest';
import { Inbox } from '../../../../tests/support/inbox.ts';
import { pathOf } from '../../../core/src/testing/case/paths.ts';
import type { Step } from '../../../core/src/tree/step.ts';
import { makeVerifier } from '../../../core/src/verifier/definition.ts';
import type { VerifierMessage } from '../../../core/src/verifier/verifier.ts';
import { countdown } from './countdown.ts';
import { exact } from './exact-verifier.ts';

function step(text: string): Step {
  return { text, tokens: 1, meanLogprob: 0, end: text.startsWith('Answer') ? 'eos' : 'delimiter' };
}

/** The rewards of a path's lines. */
function rewards(question: string, lines: readonly string[]): (number | string)[] {
  const verifier = makeVerifier(exact);
  const inbox = new Inbox<VerifierMessage>();
  verifier.connect(inbox.post);
  const steps = lines.map((line) => step(line.startsWith('Answer') ? line : `${line}\n`));
  const prompt = { kind: 'text', text: `${question}\n` } as const;
  for (const [at, last] of steps.entries()) {
    const path = pathOf(...steps.slice(0, at));
    verifier.score([
      { id: at, search: 's', prompt, parent: at, index: 0, path, step: last, lane: 'primary', priority: 0 },
    ]);
  }
  return inbox.answers.map((message) => (message.type === 'score' ? message.reward : message.fault.code));
}

it('rewards the right lines of a countdown path and no others', () => {
  const good = ['8/8=1 left 1 4 7', '7-1=6 left 4 6', '6*4=24 left 24', 'Answer: (7-8/8)*4'];
  expect(rewards('Make 24 from 4 7 8 8.', good)).toEqual([1, 1, 1, 1]);
  expect(rewards('Make 24 from 4 7 8 8.', ['8/8=2 left 2 4 7'])).toEqual([0]);
  expect(rewards('Make 24 from 4 7 8 8.', ['9-8=1 left 1 4 7'])).toEqual([0]);
  const misses = ['8-7=1 left 1 4 8', '8-1=7 left 4 7', '7*4=28 left 28', 'Answer: (8-(8-7))*4'];
  expect(rewards('Make 24 from 4 7 8 8.', misses).at(-1)).toBe(0);
});

it('follows a cell that nothing speaks against, since the grid itself is checked', () => {
  const grid = ['a2=1', 'a3=4', 'a4=3', 'b1=4', 'b2=3', 'c2=4', 'c3=2', 'd1=1', 'd2=2'];
  expect(rewards('Sudoku 2... ..12 3..1 ..34', [...grid, 'Answer: 2143 4312 3421 1234'])).toEqual(Array(10).fill(1));
  expect(rewards('Sudoku 2... ..12 3..1 ..34', ['a2=2'])).toEqual([0]);
  expect(rewards('Sudoku 2... ..12 3..1 ..34', ['Answer: 2143 4312 3421 1243'])).toEqual([0]);
});

it('says that it knows no other questions', () => {
  expect(rewards('How many apples are there?', ['1+1=2'])).toEqual(['unsupported']);
});

it('says in one line that a checker failed, and goes on', () => {
  const spy = vi.spyOn(countdown, 'judge').mockImplementationOnce(() => {
    throw new Error('out of order');
  });
  expect(rewards('Make 24 from 4 7 8 8.', ['8/8=1 left 1 4 7', '7-1=6 left 4 6'])).toEqual(['internal', 1]);
  spy.mockRestore();
});
