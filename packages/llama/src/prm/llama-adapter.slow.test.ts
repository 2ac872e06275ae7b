// A reward model that is an adapter of its generator: one set of weights and two contexts, only one of them with the adapter.
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Inbox } from '../../../../tests/support/inbox.ts';
import { generateRequest } from '../../../../tests/support/requests.ts';
import {
  adapterScale,
  type TinyAdapter,
  tinyMatrices,
  writeTinyAdapter,
} from '../../../../tests/support/tiny-adapter.ts';
import { END_OF_SEQUENCE, writeTinyModel } from '../../../../tests/support/tiny-gguf.ts';
import type { EngineMessage } from '../../../core/src/engine/engine.ts';
import type { Step } from '../../../core/src/tree/step.ts';
import type { VerifierMessage } from '../../../core/src/verifier/verifier.ts';
import { peftAsGguf } from '../adapter/peft-adapter.ts';
import { LlamaEngine } from '../engine/llama-engine.ts';
import type { Embedded } from '../open/embedded.ts';
import { embeddedLines } from '../open/embedded-lines.ts';
import { LlamaPrm, type LlamaPrmOptions } from './llama-prm.ts';

let folder: string;
let model: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-hats-'));
  model = join(folder, 'random.gguf');
  writeTinyModel(model, { kind: 'random', seed: 3 });
});
afterAll(() => rmSync(folder, { recursive: true }));

const texts = ['one\n', 'two\n', 'three\n'];
const steps = texts.map((text): Step => ({ text, tokens: 1, meanLogprob: 0, end: 'delimiter' }));

async function scores(prm: LlamaPrm, path: readonly Step[] = steps): Promise<number[]> {
  const inbox = new Inbox<VerifierMessage>();
  prm.connect(inbox.post);
  const { prompt } = generateRequest(0);
  for (const [at, step] of path.entries()) {
    const above = path.slice(0, at).map((each, key) => ({ key: key + 1, step: each }));
    prm.score([{ id: at, search: 's', prompt, parent: at, index: 0, path: above, step, lane: 'primary', priority: 0 }]);
    await inbox.answered(at + 1);
  }
  return inbox.answers.map((message) => (message.type === 'score' ? message.reward : Number.NaN));
}

async function scoresOf(options: LlamaPrmOptions, path?: readonly Step[]): Promise<number[]> {
  const prm = await LlamaPrm.open(options);
  return scores(prm, path).finally(() => prm.close());
}

async function written(engine: LlamaEngine): Promise<string[]> {
  const inbox = new Inbox<EngineMessage>();
  engine.connect(inbox.post);
  engine.generate([1, 2, 3].map((id) => generateRequest(id, { maxTokens: 24 })));
  await inbox.answered(3);
  engine.release('search');
  const byId = inbox.answers.toSorted((left, right) => left.request - right.request);
  return byId.map((message) => (message.type === 'step' ? message.step.text : message.type));
}

/** The tiny model with the adapter merged into its weights. */
function writeMerged(path: string, adapter: TinyAdapter): void {
  const matrices = tinyMatrices(adapter);
  const names = { attn_q: 'self_attn.q_proj', attn_v: 'self_attn.v_proj', ffn_down: 'mlp.down_proj' };
  writeTinyModel(path, { kind: 'random', seed: 3 }, (tensor) => {
    const [, layer, part = ''] = /^blk\.(\d)\.(\w+)\.weight$/.exec(tensor.name) ?? [];
    const place = `base_model.model.model.layers.${layer}.${names[part as keyof typeof names]}`;
    const [a, b] = ['A', 'B'].map((half) => matrices[`${place}.lora_${half}.weight`]);
    if (a === undefined || b === undefined) return tensor;
    const [rank = 0, width = 0] = a.shape;
    const data = tensor.data.map((value, at) => {
      const [row, column] = [Math.floor(at / width), at % width];
      // Row 2j + i of a head of 32 rows is row 16i + j in PyTorch's order.
      const from = part === 'attn_q' ? row - (row % 32) + 16 * (row % 2) + Math.floor((row % 32) / 2) : row;
      let added = 0;
      for (let inner = 0; inner < rank; inner++)
        added += b.data[from * rank + inner]! * a.data[inner * width + column]!;
      return value + adapterScale * added;
    });
    return { ...tensor, data };
  });
}

describe('an adapter of the generator as its reward model', () => {
  it('scores as the base does where it adds nothing', async () => {
    const empty = writeTinyAdapter(join(folder, 'empty'), { seed: 1, deviation: 0 });
    expect(await scoresOf({ model, adapter: empty })).toEqual(await scoresOf({ model }));
  });

  it('scores as a model would that has it in its weights, as a folder and as a file', async () => {
    const adapter = { seed: 5, modules: ['self_attn.q_proj', 'self_attn.v_proj', 'mlp.down_proj'], deviation: 0.05 };
    const place = writeTinyAdapter(join(folder, 'merged'), adapter);
    const merged = join(folder, 'merged.gguf');
    writeMerged(merged, adapter);
    const [here, expected, base] = [
      await scoresOf({ model, adapter: place }),
      await scoresOf({ model: merged }),
      await scoresOf({ model }),
    ];
    for (const [at, score] of here.entries()) {
      expect(score).toBeCloseTo(expected[at]!, 2);
      expect(Math.abs(score - base[at]!)).toBeGreaterThan(0.03);
    }
    const file = join(folder, 'merged-adapter.gguf');
    const shape = { path: model, architecture: 'llama', layers: 2, heads: 2, kvHeads: 2, headWidth: 32 } as const;
    writeFileSync(file, peftAsGguf(place, { ...shape, width: 64, inner: 64 }));
    expect(await scoresOf({ model, adapter: file })).toEqual(here);
  });

  it('tells in one line what it was measured on', async () => {
    const adapter = writeTinyAdapter(join(folder, 'told'), { seed: 2 });
    const engine = await LlamaEngine.open({ model });
    const sets = [{ name: 'GSM8K', questions: 439, auc: 0.792 }];
    const measured = { date: '2026-11-17', steps: 'blank lines', sets };
    for (const [said, line] of [
      [{ measured }, /measured 2026-11-17 on GSM8K \(439 questions, AUC 0.792\), steps cut by blank lines$/],
      [{}, /reward-model.json does not say what it was measured on$/],
    ] as const) {
      const verifier = await LlamaPrm.open({ model, adapter, weights: engine.weights, ...said });
      const embedded = { engine, verifier } as unknown as Embedded;
      expect((await embeddedLines(embedded, 0, false))[1]).toMatch(line);
      await verifier.close();
    }
    await engine.close();
  });

  it('leaves alone what the generator writes, on the same weights, whichever closes first', async () => {
    const adapter = writeTinyAdapter(join(folder, 'strong'), { seed: 2, deviation: 1 });
    const alone = await LlamaEngine.open({ model });
    const expected = await written(alone);
    await alone.close();
    const apart = await scoresOf({ model, adapter });
    for (const first of ['generator', 'reward model'] as const) {
      const engine = await LlamaEngine.open({ model });
      const prm = await LlamaPrm.open({ model, adapter, weights: engine.weights });
      expect(engine.weights.holders[0]).toBe(2);
      const [found, text] = await Promise.all([scores(prm), written(engine)]);
      expect(text).toEqual(expected);
      expect(found).toEqual(apart);
      await (first === 'generator' ? engine : prm).close();
      expect(engine.weights.holders[0]).toBe(1);
      expect(first === 'generator' ? await scores(prm) : await written(engine)).toEqual(
        first === 'generator' ? apart : expected,
      );
      await Promise.all([engine.close(), prm.close()]);
      expect(engine.weights.holders[0]).toBe(0);
    }
  });

  it('shares no weights that are gone', async () => {
    const engine = await LlamaEngine.open({ model });
    await engine.close();
    await expect(LlamaPrm.open({ model, weights: engine.weights })).rejects.toThrow(/was closed before its weights/);
  });

  it('reads a marked step without the token that ends the answer, and an end that says nothing as the step before it', async () => {
    const ended = (text: string, tokenIds: readonly number[]): Step => {
      return { text, tokens: tokenIds.length, meanLogprob: 0, end: 'eos', tokenIds };
    };
    const ids = [...'two'].map((character) => character.charCodeAt(0));
    const own = { model, marker: '#', vocabularyHash: 0 };
    const engine = await LlamaEngine.open({ model });
    await engine.close();
    const trusting = { ...own, vocabularyHash: engine.info.vocabularyHash };
    const [, plain] = await scoresOf(own, [steps[0]!, ended('two', ids)]);
    const [, last] = await scoresOf(trusting, [steps[0]!, ended('two', [...ids, END_OF_SEQUENCE])]);
    expect(last).toBe(plain);
    const [first, nothing] = await scoresOf(trusting, [steps[0]!, ended('', [END_OF_SEQUENCE])]);
    expect(nothing).toBe(first);
  });

  it('says in one line why it cannot be used', async () => {
    const wide = writeTinyAdapter(join(folder, 'wide'), { seed: 1, width: 96 });
    await expect(LlamaPrm.open({ model, adapter: wide })).rejects.toThrow(
      /wide is of another base than .*random.gguf: its/,
    );
    const adapter = writeTinyAdapter(join(folder, 'good'), { seed: 1 });
    const shape = { path: '', layers: 2, heads: 2, kvHeads: 2, headWidth: 32, width: 64, inner: 64 } as const;
    const other = join(folder, 'other.gguf');
    writeFileSync(other, peftAsGguf(adapter, { ...shape, architecture: 'qwen2' }));
    const complaint = /other.gguf is of another base: it is of architecture qwen2, and .* of llama/;
    await expect(LlamaPrm.open({ model, adapter: other })).rejects.toThrow(complaint);
    const cut = join(folder, 'cut.gguf');
    writeFileSync(cut, peftAsGguf(adapter, { ...shape, architecture: 'llama' }));
    truncateSync(cut, readFileSync(cut).length - 512);
    await expect(LlamaPrm.open({ model, adapter: cut })).rejects.toThrow(/cut.gguf is damaged, or of another base/);
    await expect(LlamaPrm.open({ model, adapter: model })).rejects.toThrow(/there is no LoRA adapter at/);
  });
});
