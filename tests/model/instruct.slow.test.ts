// An ordinary instruct model on the embedded engine: COPPICE_INSTRUCT_GGUF names its file (half a billion parameters will do). Its
// answers pass through steps unharmed, are read, and a small budget finishes some of them. Without the file the tests are skipped and say so.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openModel, type SearchModel, search } from '../../packages/core/src/library/index.ts';
import type { Step } from '../../packages/core/src/tree/step.ts';
import { LlamaEngine } from '../../packages/llama/src/engine/llama-engine.ts';

const file = process.env.COPPICE_INSTRUCT_GGUF;
if (file === undefined) console.log('no instruct model is tried: COPPICE_INSTRUCT_GGUF names no file');

const question =
  'Natalia sold clips to 48 of her friends in April, and then she sold half as many clips in May. How many clips did Natalia sell altogether in April and May?';
const advice = 'Please reason step by step, and put your final answer within \\boxed{}.';
const longEnough = 600_000;

/** What the engine says in one go, at temperature 0. */
async function inOneGo(): Promise<Step> {
  const engine = await LlamaEngine.open({ model: file!, threads: 1 });
  const { promise, resolve, reject } = Promise.withResolvers<Step>();
  engine.connect((message) => {
    if (message.type === 'step') resolve(message.step);
    if (message.type === 'fault') reject(new Error(message.fault.message));
  });
  const messages = [
    { role: 'system', content: advice },
    { role: 'user', content: question },
  ] as const;
  const place = { search: 's', prompt: { kind: 'chat', messages }, parent: 0, path: [], index: 0 } as const;
  const manner = { sampling: { temperature: 0 }, seed: 1, delimiters: [], maxTokens: 700 } as const;
  engine.generate([{ id: 1, ...place, ...manner, lane: 'primary', priority: 0 }]);
  return promise.finally(() => engine.close());
}

describe.skipIf(file === undefined)('an instruct model on the embedded engine', () => {
  let model: SearchModel;
  beforeAll(async () => {
    model = await openModel({ name: 'instruct', engine: { kind: 'llama', model: file!, threads: 1 } });
  }, longEnough);
  afterAll(() => model.close());

  it(
    'says step by step what it says in one go, to its own end, and its answer is read',
    async () => {
      const found = await search(question, { model, program: 'greedy', seed: 1 });
      const whole = await inOneGo();
      expect(whole.end).toBe('eos');
      expect(found.steps.join('')).toBe(whole.text);
      expect(found).toMatchObject({ complete: true, answer: expect.stringMatching(/\d/) });
      expect(found.cost).toMatchObject({ committedTokens: whole.tokens, discardedTokens: 0 });
    },
    longEnough,
  );

  it(
    'finishes some of four samples with the tokens of two, and accounts for each token once',
    async () => {
      const { tree, cost, complete } = await search(question, {
        model,
        program: 'self-consistency',
        rollouts: 4,
        tokenBudget: 600,
        seed: 1,
      });
      expect(complete).toBe(true);
      expect(tree.closed.completed).toBeGreaterThan(0);
      expect(cost.committedTokens).toBe(tree.tokens);
      expect(cost.discardedTokens).toBeLessThan(4 * 256);
    },
    longEnough,
  );
});
