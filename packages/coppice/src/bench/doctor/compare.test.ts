// Runs the comparison on the real loop, with scripted engines.

import { expect, it } from 'vitest';
import type { Script } from '../../../../../tests/support/scripted-engine.ts';
import { ScriptedEngine, ScriptedVerifier } from '../../../../../tests/support/scripted-engine.ts';
import { ownModel } from '../../../../core/src/answering/models/model-by-name.ts';
import type { OpenModel } from '../../../../core/src/answering/models/open-model.ts';
import { hash } from '../../../../core/src/base/random.ts';
import { adviceOf } from './advice.ts';
import { type CompareOptions, compare } from './compare.ts';
import { comparisonOf } from './comparison.ts';
import { easySums } from './easy-sums.ts';

const questions = easySums(1, 40).map((each) => ({ ...each, answer: '1' }));

/** Two steps and an answer. The seed alone decides whether it is right, so that no step is better than another. */
const coin: Script = ({ path, seed, sampling }) => {
  if (path.length < 2) return { text: `step ${path.length + 1} ${seed % 1000}\n\n`, end: 'delimiter' };
  const right = sampling.temperature === 0 || hash(seed, 'coin') % 100 < 45;
  return { text: `The answer is ${right ? 1 : 2 + (hash(seed) % 4)}.`, end: 'eos' };
};

function modelOf(script: Script, reward: (text: string) => number): OpenModel {
  const engine = new ScriptedEngine({ script });
  const verifier = new ScriptedVerifier(({ step }) => reward(step.text));
  return { config: ownModel({ engines: ['http://127.0.0.1:1'] }), engine, verifier };
}

/** Scores all beginnings alike, and right answers higher than wrong ones. */
const judged = modelOf(coin, (text) => (text.startsWith('The answer') ? (text.includes(' 1.') ? 0.8 : 0.3) : 0.9));

function options(model: OpenModel, changed: Partial<CompareOptions> = {}): CompareOptions {
  const clock = { nowMs: () => 0, after: () => new AbortController().signal };
  const fixed = { wish: {}, rollouts: 8, samples: 8, budget: 16, seed: 1, limitMs: 300_000, clock };
  return { model, questions, ...fixed, ...changed };
}

it('asks every contender every question, draws all samples, and claims no gain for a tree if steps say nothing', async () => {
  const run = await compare(options(judged));
  expect(run.questions.length).toBe(questions.length);
  expect(run.tree).toMatchObject({ name: 'best-first, safe', program: 'best-first', threshold: 0.9 });
  expect(run.questions.every(({ samples, greedy }) => samples.length === 8 && greedy.correct)).toBe(true);
  const found = comparisonOf(run, 8);
  expect(found.preference.low).toBeGreaterThan(0.9);
  expect(adviceOf(found, 0).kind).not.toBe('tree');
});

it('ends when its time is up, with the questions that all have answered', async () => {
  let now = 0;
  const abort = new AbortController();
  const engine = new ScriptedEngine({
    script: (request) => {
      now += 100;
      if (now >= 20_000) abort.abort();
      return coin(request);
    },
  });
  const run = await compare(
    options({ ...judged, engine }, { limitMs: 20_000, clock: { nowMs: () => now, after: () => abort.signal } }),
  );
  expect(run.questions.length).toBeGreaterThan(0);
  expect(run.questions.length).toBeLessThan(20);
  expect(run.questions.every(({ samples }) => samples.length === 8)).toBe(true);
  expect(engine.open).toBe(0);
});

it('ends when its user interrupts it', async () => {
  const interrupt = new AbortController();
  const run = await compare(
    options(judged, {
      signal: interrupt.signal,
      onAnswered: (answered) => void (answered >= 3 && interrupt.abort()),
    }),
  );
  expect(run.questions.length).toBe(3);
});

it('leaves out questions on which the engine failed', async () => {
  let broken = 0;
  const model = modelOf(
    (request) => {
      const asked = request.prompt.kind === 'chat' ? request.prompt.messages.at(-1)!.content : '';
      if (asked !== questions[3]!.question) return coin(request);
      broken += 1;
      return 'fault';
    },
    () => 0.5,
  );
  const run = await compare(options(model));
  expect([run.failed, run.questions.length, broken > 0]).toEqual([1, questions.length - 1, true]);
});

it("grows the user's own tree, without its exits in the samples", async () => {
  const run = await compare(
    options(judged, {
      questions: questions.slice(0, 4),
      wish: { program: 'beam', policy: 'positive' },
    }),
  );
  expect(run.tree).toMatchObject({ name: 'beam, positive', flags: '--program beam --policy positive' });
  expect(run.questions.every(({ samples }) => samples.length === 8)).toBe(true);
  const named = await compare(options(judged, { questions: questions.slice(0, 1), wish: { program: 'best-of-n' } }));
  expect(named.tree.program).toBe('best-first');
});
