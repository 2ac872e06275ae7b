// An instruct model and a LoRA adapter of it as generator and reward model on one set of weights: COPPICE_INSTRUCT_GGUF names the model's file.
// Where the adapter in models/ is of that model, its scores are those of its training. Without the file the tests are skipped and say so.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Prompt, Step } from '../../packages/core/src/tree/step.ts';
import { adapterAt } from '../../packages/llama/src/adapter/adapter-place.ts';
import { type BaseShape, peftAsGguf } from '../../packages/llama/src/adapter/peft-adapter.ts';
import { LlamaEngine } from '../../packages/llama/src/engine/llama-engine.ts';
import { loadBinding } from '../../packages/llama/src/native/binding.ts';
import { Model } from '../../packages/llama/src/native/model.ts';
import { findLibrary } from '../../packages/llama/src/native/platform.ts';
import { LlamaPrm, type LlamaPrmOptions } from '../../packages/llama/src/prm/llama-prm.ts';
import { writeTinyAdapter } from '../support/tiny-adapter.ts';

const file = process.env.COPPICE_INSTRUCT_GGUF;
if (file === undefined) console.log('no adapter of an instruct model is tried: COPPICE_INSTRUCT_GGUF names no file');

const longEnough = 600_000;
const size = { kvTokens: 1024, threads: 1 } as const;
const asked = (system: string, question: string) => {
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: question },
  ] as const;
  return { kind: 'chat', messages } as const;
};
const prompt = asked('You are a helpful assistant.', 'What is half of 48?');
const solution = ['Half of 48 is 48 / 2 = 24.\n\n', 'The answer is \\boxed{24}.'];

/** Steps of two sampled solutions of a test question of GSM8K, with their log odds by training/real (bf16, rounded to an eighth). */
const recorded = {
  adapter: 'qwen2.5-coder-1.5b-verdict',
  prompt: asked(
    'Solve the problem step by step. Separate the steps by blank lines. End with the line: The answer is \\boxed{...}.',
    'Emily has 4 kids named Amy, Jackson, Corey, and James. Amy is 5 years older than Jackson and 2 years younger than Corey. If James is 10 and is 1 year younger than Corey, how old is Jackson?',
  ),
  solutions: [
    {
      steps: [
        "Let's solve the problem step by step.\n\n",
        '1. We know that James is 10 years old. Since James is 1 year younger than Corey, Corey must be 10 + 1 = 11 years old.\n2. Amy is 2 years younger than Corey. Therefore, Amy must be 11 - 2 = 9 years old.\n3. Amy is 5 years older than Jackson. So, Jackson must be 9 - 5 = 4 years old.\n\n',
        'The answer is \\boxed{4}.',
      ],
      logOdds: [-0.125, 0.5, 1.25],
    },
    { steps: ['Jackson is \\(10 - 1 = 9\\) years old.'], logOdds: [-0.375] },
  ],
} as const;
/** Of Q4_K_M against bf16: 21 steps differed by 0.05 in the median and by 0.17 at most. */
const rounding = 0.4;

let folder: string;
let shape: BaseShape;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-verdict-'));
  if (file === undefined) return;
  const model = Model.load(loadBinding(findLibrary()), file);
  shape = model.shape;
  model.close();
}, longEnough);
afterAll(() => rmSync(folder, { recursive: true }));

/** The rewards of the steps of a solution, one after the other. */
async function rewards(prm: LlamaPrm, prompt: Prompt, solution: readonly string[]): Promise<number[]> {
  const steps = solution.map((text): Step => ({ text, tokens: 1, meanLogprob: 0, end: 'delimiter' }));
  const found: number[] = [];
  for (const [at, step] of steps.entries()) {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    prm.connect((message) => {
      if (message.type === 'score') resolve(message.reward);
      if (message.type === 'fault') reject(new Error(message.fault.message));
    });
    const path = steps.slice(0, at).map((each, key) => ({ key: key + 1, step: each }));
    prm.score([{ id: at, search: 's', prompt, parent: at, index: 0, path, step, lane: 'primary', priority: 0 }]);
    found.push(await promise);
  }
  return found;
}

async function opening(engine: LlamaEngine): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  engine.connect((message) => {
    if (message.type === 'step') resolve(message.step.text);
    if (message.type === 'fault') reject(new Error(message.fault.message));
  });
  const manner = { sampling: { temperature: 0 }, seed: 1, delimiters: [], maxTokens: 12 } as const;
  const place = { id: 1, search: 's', prompt, parent: 0, path: [], index: 0 } as const;
  engine.generate([{ ...place, ...manner, lane: 'primary', priority: 0 }]);
  return promise;
}

function isFit(path: string): boolean {
  try {
    return peftAsGguf(path, shape).length > 0;
  } catch {
    return false;
  }
}

describe.skipIf(file === undefined)('an adapter of an instruct model', () => {
  it(
    'adds nothing to the scores of its base where it is empty, and nothing to what the generator writes where it is not',
    async () => {
      const layers = { modules: ['self_attn.q_proj'], layers: shape.layers, width: shape.width };
      const empty = writeTinyAdapter(join(folder, 'empty'), { seed: 1, deviation: 0, ...layers });
      const strong = writeTinyAdapter(join(folder, 'strong'), { seed: 1, deviation: 0.1, ...layers });
      const engine = await LlamaEngine.open({ model: file!, ...size });
      const before = await opening(engine);
      const scoresWith = async (options: Partial<LlamaPrmOptions>) => {
        const prm = await LlamaPrm.open({ model: file!, weights: engine.weights, ...size, ...options });
        return rewards(prm, prompt, solution).finally(() => prm.close());
      };
      const base = await scoresWith({});
      expect(await scoresWith({ adapter: empty })).toEqual(base);
      expect(await scoresWith({ adapter: strong })).not.toEqual(base);
      expect(await opening(engine)).toBe(before);
      await engine.close();
    },
    longEnough,
  );

  it(
    'gives the scores that its training had of the same steps',
    async ({ skip }) => {
      const adapter = fileURLToPath(new URL(`../../packages/coppice/adapters/${recorded.adapter}`, import.meta.url));
      if (!isFit(adapter)) return skip(`${recorded.adapter} is of another base`);
      const prm = await LlamaPrm.open({ model: file!, adapter, ...adapterAt(adapter)!.reading, ...size });
      for (const { steps, logOdds } of recorded.solutions) {
        const found = (await rewards(prm, recorded.prompt, steps)).map((reward) => Math.log(reward / (1 - reward)));
        console.log(`log odds ${found.map((each) => each.toFixed(2)).join(' ')}, in training ${logOdds.join(' ')}`);
        for (const [at, each] of found.entries()) expect(Math.abs(each - logOdds[at]!)).toBeLessThan(rounding);
      }
      await prm.close();
    },
    longEnough,
  );
});
