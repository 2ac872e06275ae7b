import { expect, it } from 'vitest';
import { type Script, ScriptedEngine, ScriptedVerifier } from '../../../../../tests/support/scripted-engine.ts';
import { ownModel } from '../../../../core/src/answering/models/model-by-name.ts';
import { isRight } from '../../../../core/src/answering/question.ts';
import { hash } from '../../../../core/src/base/random.ts';
import { chosenAnswer } from '../../../../core/src/program/choice.ts';
import type { Tree } from '../../../../core/src/tree/tree.ts';
import { runBlock } from '../contest/block.ts';
import type { Contest } from '../contest/contest.ts';
import { type DrawnSample, preference, ruleCurve, samplesOf } from './drawn-samples.ts';
import { easySums } from './easy-sums.ts';

const sample = (meaning: string | undefined, score: number, tokens = 100): DrawnSample => ({
  meaning,
  complete: true,
  right: meaning === 'a',
  tokens,
  scores: { own: score, last: score },
});

it('chooses what the search itself would choose', async () => {
  const script: Script = ({ path, seed }) => {
    if (path.length < 1) return { text: `step ${seed % 5}\n\n`, end: 'delimiter' };
    const [of, ends] = [hash(seed, 'answer') % 4, hash(seed, 'end') % 6];
    return { text: ends === 0 ? 'I do not know' : `The answer is ${of}.`, end: 'eos' };
  };
  const verifier = new ScriptedVerifier(({ step }) => (hash(step.text) % 100) / 100);
  const model = {
    config: ownModel({ engines: ['http://127.0.0.1:1'] }),
    engine: new ScriptedEngine({ script }),
    verifier,
  };
  const questions = easySums(1, 40).map((each) => ({ ...each, answer: '1' }));
  const trees = new Map<string, Tree>();
  const contest: Contest = {
    model,
    settings: { wish: {}, budget: 16, concurrency: 4, seed: 1 },
    isCorrect: isRight,
    onTree: ({ question }, tree) => void trees.set(question.id, tree),
  };
  await runBlock(contest, { name: 'n', program: 'best-of-n', policy: 'vanilla', rollouts: 8 }, questions, () => {});
  for (const question of questions) {
    const tree = trees.get(question.id)!;
    const drawn = samplesOf(question, tree);
    expect(drawn.length).toBe(8);
    for (const [rule, choice] of [
      ['majority', 'majority'],
      ['weighted vote', 'vote'],
      ['best score', 'best'],
    ] as const) {
      const answer = chosenAnswer(tree, choice);
      const said = answer?.complete === true ? answer.answer : undefined;
      expect([question.id, rule, ruleCurve(rule, drawn, 'own').right.at(-1)]).toEqual([
        question.id,
        rule,
        Number(isRight(question, said)),
      ]);
    }
  }
});

it('tells how often scores prefer the right sample', () => {
  expect(preference([sample('a', 0.9), sample('b', 0.5), sample('b', 0.9)], 'own')).toBe(0.75);
  expect(preference([sample('a', 0.9), sample('a', 0.5)], 'own')).toBeUndefined();
  expect(preference([sample('b', 0.9), sample(undefined, 0.5)], 'own')).toBeUndefined();
});
