import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../../../../core/src/log/events.ts';
import { SearchFold } from '../../../../../core/src/log/fold.ts';
import { givenUp, otherAnswers } from './other-answers.ts';

interface Path {
  readonly answer?: string;
  readonly text?: string;
  readonly reward?: number;
  readonly end?: 'eos' | 'length';
}

/** A search whose paths have one step each; its answer is that of the first. */
function ended(paths: readonly Path[], over: { support?: number; running?: boolean } = {}): SearchFold {
  const grown = paths.map(({ answer, text = `Answer: ${answer}`, reward, end = 'eos' }, at) => ({
    type: 'grown',
    node: at + 1,
    parent: 0,
    key: 100 + at,
    index: at,
    step: { text, tokens: 4, meanLogprob: 0, end },
    terminal: true,
    ...(answer === undefined ? {} : { answer }),
    ...(reward === undefined ? {} : { reward }),
  }));
  const answer = { node: 1, text: '', answer: paths[0]!.answer, score: paths[0]!.reward, complete: true, ...over };
  const events = [
    { type: 'planted', aggregation: 'product' },
    { type: 'opened', strand: 0, node: 0 },
    { type: 'asked', strand: 0, node: 0, indices: paths.map((_, at) => at), sampling: { temperature: 1 } },
    ...grown,
    ...(over.running
      ? []
      : [{ type: 'exited', exit: { kind: 'exhausted', rule: 'rollouts', evidence: {} }, answer, cost: {} }]),
  ];
  const fold = new SearchFold();
  for (const [at, event] of events.entries())
    fold.apply({ search: 's', sequence: at, atMs: at, event } as unknown as LoggedEvent);
  expect(fold.fault).toBeUndefined();
  return fold;
}

const told = (fold: SearchFold, threshold: number | null = 0.9) =>
  otherAnswers(fold, threshold).map(({ words, score, paths, why }) => [words, score, paths, why]);

describe('the answers that lost', () => {
  it('are listed with score and reason, best first, each once', () => {
    const fold = ended([
      { answer: '24', reward: 0.95 },
      { answer: '7', reward: 0.2 },
      { answer: '25', reward: 0.92 },
      { answer: '7', reward: 0.4 },
      { answer: '24', reward: 0.1 },
    ]);
    expect(told(fold)).toEqual([
      ['25', 0.92, 1, 'It scored 0.92, less than 0.95 of the chosen answer.'],
      ['7', 0.4, 2, 'It scored 0.40, less than 0.95 of the chosen answer, and is below the threshold of 0.9.'],
    ]);
  });

  it('name the vote if there was one', () => {
    const paths = ['24', '24', '24', '7', '8', '8', '8'].map((answer) => ({ answer, reward: 1 }));
    expect(told(ended(paths, { support: 0.5 }))).toEqual([
      ['8', 1, 3, '3 of 7 paths end in it; weighted by score, they carry no more than those of the chosen answer.'],
      ['7', 1, 1, '1 of 7 paths end in it, and 3 in the chosen answer, which won the vote.'],
    ]);
  });

  it('with as many votes as the chosen one came later', () => {
    expect(told(ended([{ answer: '24' }, { answer: '7' }], { support: 0.5 }), null)).toEqual([
      ['7', undefined, 1, '1 of 2 paths end in it, as many as in the chosen answer, which came first.'],
    ]);
  });

  it('say so if they were cut, not scored, or level', () => {
    const cut = ended([
      { answer: '24', reward: 0.9 },
      { answer: '7', reward: 1, end: 'length' },
      { answer: '8', reward: 0.9 },
    ]);
    expect(told(cut).map(([words, , , why]) => [words, why])).toEqual([
      ['8', 'It scored as high as the chosen answer, 0.90; the first of equals is taken.'],
      ['7', 'Its path was cut at a limit before it came to its end.'],
    ]);
    expect(told(ended([{ answer: '24' }, { answer: '7' }]))).toEqual([['7', undefined, 1, 'Nothing has scored it.']]);
  });

  it('are compared by their last line if no answer is marked, and with the best so far while the search grows', () => {
    const fold = ended(
      [
        { text: 'x\nso yes', reward: 0.8 },
        { text: 'y\nso no', reward: 0.3 },
        { text: 'z\nso no', reward: 0.1 },
      ],
      {
        running: true,
      },
    );
    expect(told(fold)).toEqual([
      ['so no', 0.3, 2, 'It scored 0.30, less than 0.80 of the best so far, and is below the threshold of 0.9.'],
    ]);
  });

  it('are none before a path has ended', () => {
    expect(otherAnswers(new SearchFold(), 0.9)).toEqual([]);
  });
});

describe('paths that were given up', () => {
  it('are counted by the rule that ended them, in words', () => {
    const fold = Object.assign(new SearchFold(), {
      prunedAt: new Map([
        [1, 'bound-best'],
        [2, 'bound-best'],
        [3, 'mine'],
      ]),
    });
    expect(givenUp(fold)).toEqual([
      '2 paths were given up without an answer: they could not beat the best finished path any more.',
      "1 path was given up without an answer: by the rule 'mine'.",
    ]);
  });
});
