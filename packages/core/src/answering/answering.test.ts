import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeTinyModel } from '../../../../tests/support/tiny-gguf.ts';
import { runBlock } from '../../../coppice/src/bench/contest/block.ts';
import type { Contender, Trial } from '../../../coppice/src/bench/contest/contest.ts';
import { tally, unsolvedIn } from '../../../coppice/src/bench/contest/tally.ts';
import { tallyTable } from '../../../coppice/src/bench/contest/tally-table.ts';
import { quantile, wilson } from '../../../coppice/src/bench/statistics.ts';
import { openEmbedded } from '../../../llama/src/open/embedded.ts';
import { embeddedModel } from '../../../llama/src/open/embedded-model.ts';
import { ownModel } from './models/model-by-name.ts';
import { isRight } from './question.ts';
import { type GoldQuestion, readQuestions } from './question-file.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-answering-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('readQuestions', () => {
  it('reads the formats of the public test sets', () => {
    const path = file(
      'mixed.jsonl',
      [
        '{"problem":"What is x?","answer":27.0,"id":0}',
        '{"question":"How many?","answer":"She has 9.\\n#### 18"}',
        '{"problem":"p","solution":"s","answer":"\\\\frac{1}{2}","level":3,"unique_id":"test/7"}',
        '{"id":"c1","question":"Make 9 from 1 1.","answer":null,"difficulty":2,"solvable":false}',
      ].join('\n'),
    );
    expect(
      readQuestions(path).map(({ id, answer, solvable, difficulty }) => [id, answer, solvable, difficulty]),
    ).toEqual([
      ['0', '27', true, undefined],
      ['1', '18', true, undefined],
      ['test/7', '\\frac{1}{2}', true, 3],
      ['c1', undefined, false, 2],
    ]);
  });

  it('says which line it cannot read', () => {
    expect(() => readQuestions(file('a.jsonl', '{"question":"q","answer":"1"}\nnonsense'))).toThrow(/line 2/);
    expect(() => readQuestions(file('b.jsonl', '{"answer":"1"}'))).toThrow(/neither a "question" nor a "problem"/);
    expect(() => readQuestions(file('c.jsonl', '{"question":"q"}'))).toThrow(/has no "answer"/);
    expect(() => readQuestions(file('e.jsonl', ''))).toThrow(/holds no questions/);
    expect(() =>
      readQuestions(file('f.jsonl', '{"id":1,"question":"q","answer":"1"}\n{"id":1,"question":"r","answer":"1"}')),
    ).toThrow(/one id/);
  });
});

describe('isRight', () => {
  const gold = (question: string, answer?: string): GoldQuestion => {
    return { id: '1', question, answer, solvable: true, difficulty: undefined };
  };

  it('checks a puzzle by its numbers and its value', () => {
    const puzzle = gold('Make 24 from 4 7 8 8.');
    expect(isRight(puzzle, '(7-8/8)*4')).toBe(true);
    expect(isRight(puzzle, '(8-(8-7))*4')).toBe(false);
    expect(isRight(puzzle, '4*7-4')).toBe(false);
    expect(isRight(puzzle, '24')).toBe(false);
    expect(isRight(puzzle, undefined)).toBe(false);
  });

  it('compares other answers with the gold answer', () => {
    expect(isRight(gold('How many?', '18'), '18.0')).toBe(true);
    expect(isRight(gold('How many?', '18'), '19')).toBe(false);
  });
});

describe('a contest', () => {
  it('answers every question once with each contender, and leaves the engine empty', async () => {
    const model = join(folder, 'model.gguf');
    writeTinyModel(model, { kind: 'random', seed: 5 });
    const embedded = await openEmbedded({ model, prm: model });
    const questions = [...Array(6).keys()].map((id): GoldQuestion => {
      return { id: String(id), question: `question ${id}`, answer: '1', solvable: id !== 3, difficulty: undefined };
    });
    const wish = { branching: 2, threshold: 0.99, choose: 'vote', stepTokens: 6, maxDepth: 3 } as const;
    const contest = {
      model: embeddedModel(ownModel({ model, prm: model, stepPrompt: '', delimiters: ['\n'] }), embedded),
      settings: { wish, budget: 4, concurrency: 3, seed: 1 },
      isCorrect: isRight,
    };
    const contenders: Contender[] = [
      { name: 'greedy', program: 'greedy', policy: 'vanilla', rollouts: 1 },
      { name: 'mcts', program: 'mcts', policy: 'boost', rollouts: 3 },
      { name: 'best', program: 'best-of-n', policy: 'positive', rollouts: 3 },
      { name: 'beam', program: 'beam', policy: 'positive', rollouts: 2 },
    ];
    for (const contender of contenders) {
      const trials: Trial[] = [];
      await runBlock(contest, contender, questions, (trial) => trials.push(trial));
      expect(trials.map(({ question }) => question).sort()).toEqual(['0', '1', '2', '3', '4', '5']);
      expect(trials.every(({ exit }) => exit !== 'failed')).toBe(true);
      expect(tallyTable([tally(contender.name, trials)])).toContain('1 question without a solution');
    }
    expect(embedded.engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
    await embedded.close();
  });
});

describe('tally', () => {
  it('counts apart what was spent on questions that no contender solved', () => {
    const trial = (
      contender: string,
      question: string,
      correct: boolean,
      exit: Trial['exit'] = 'exhausted',
    ): Trial => ({
      contender,
      question,
      correct,
      exit,
      answer: null,
      solvable: true,
      score: null,
      latencyMs: 1,
      generatedTokens: exit === 'futile' ? 10 : 30,
      computedTokens: 10,
      scoredTokens: 0,
      rollouts: 1,
    });
    const plain = [trial('plain', 'a', true), trial('plain', 'b', false), trial('plain', 'c', false)];
    const cutting = [trial('cutting', 'a', false), trial('cutting', 'b', true), trial('cutting', 'c', false, 'futile')];
    const unsolved = unsolvedIn([...plain, ...cutting]);
    expect([...unsolved]).toEqual(['c']);
    expect(tally('plain', plain, unsolved).unsolved).toEqual({ questions: 1, futile: 0, tokens: 30 });
    expect(tally('cutting', cutting, unsolved).unsolved).toEqual({ questions: 1, futile: 1, tokens: 10 });
  });

  it('gives shares and quantiles with intervals that hold them', () => {
    expect(wilson(50, 100)).toMatchObject({ value: 0.5 });
    expect(wilson(50, 100).low).toBeCloseTo(0.404, 2);
    expect(wilson(0, 10)).toMatchObject({ value: 0, low: 0 });
    const sorted = [...Array(100).keys()];
    expect(quantile(sorted, 0.5)).toEqual({ value: 49, low: 39, high: 59 });
    expect(quantile([7], 0.95)).toEqual({ value: 7, low: 7, high: 7 });
  });
});
