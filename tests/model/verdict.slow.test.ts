// An instruct model and a LoRA adapter of it as generator and reward model on one set of weights: COPPICE_INSTRUCT_GGUF names the model's file.
// Where an adapter in models/ fits it, that one tells a right solution from a wrong one. Without the file the tests are skipped and say so.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adapterAt } from '../../src/engine/llama/adapter/adapter-place.ts';
import { type BaseShape, peftAsGguf } from '../../src/engine/llama/adapter/peft-adapter.ts';
import { LlamaEngine } from '../../src/engine/llama/llama-engine.ts';
import { loadBinding } from '../../src/engine/llama/native/binding.ts';
import { Model } from '../../src/engine/llama/native/model.ts';
import { findLibrary } from '../../src/engine/llama/native/platform.ts';
import type { Step } from '../../src/tree/step.ts';
import { LlamaPrm, type LlamaPrmOptions } from '../../src/verifier/prm/llama-prm.ts';
import { writeTinyAdapter } from '../support/tiny-adapter.ts';

const file = process.env.COPPICE_INSTRUCT_GGUF;
if (file === undefined) console.log('no adapter of an instruct model is tried: COPPICE_INSTRUCT_GGUF names no file');

const longEnough = 600_000;
const size = { kvTokens: 1024, threads: 1 } as const;
const messages = [
  { role: 'system', content: 'Please reason step by step, and put your final answer within \\boxed{}.' },
  {
    role: 'user',
    content:
      'Natalia sold clips to 48 of her friends in April, and then she sold half as many clips in May. How many clips did Natalia sell altogether in April and May?',
  },
] as const;
const prompt = { kind: 'chat', messages } as const;
const right = ['In May, Natalia sold 48 / 2 = 24 clips.\n\n', 'Altogether she sold 48 + 24 = 72 clips: \\boxed{72}.'];
const wrong = ['In May, Natalia sold 48 * 2 = 96 clips.\n\n', 'Altogether she sold 48 + 96 = 144 clips: \\boxed{144}.'];

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
async function rewards(prm: LlamaPrm, solution: readonly string[]): Promise<number[]> {
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

/** An adapter in models/ that was made for a model of this shape. */
function shippedAdapter(): string | undefined {
  const models = fileURLToPath(new URL('../../models/', import.meta.url));
  const folders = readdirSync(models, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => join(models, name)).find(isFit);
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
        return rewards(prm, right).finally(() => prm.close());
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
    'tells a right solution from a wrong one where one ships for it',
    async ({ skip }) => {
      const adapter = shippedAdapter();
      if (adapter === undefined) return skip('no adapter in models/ is of this base');
      const prm = await LlamaPrm.open({ model: file!, adapter, ...adapterAt(adapter)!.reading, ...size });
      const [good, bad] = [await rewards(prm, right), await rewards(prm, wrong)];
      console.log('rewards of a right and of a wrong solution', good, bad);
      expect(good.at(-1)! - bad.at(-1)!).toBeGreaterThan(0.2);
      await prm.close();
    },
    longEnough,
  );
});
