import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeTinyAdapter } from '../../../../tests/support/tiny-adapter.ts';
import { writeTinyModel } from '../../../../tests/support/tiny-gguf.ts';
import { adapterAt, openingFacts } from './adapter-place.ts';
import { peftAsGguf } from './peft-adapter.ts';

let folder: string;
let adapter: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-adapter-test-'));
  adapter = writeTinyAdapter(join(folder, 'adapter'), { seed: 1 });
});
afterAll(() => rmSync(folder, { recursive: true }));

function copied(name: string, files: Readonly<Record<string, string>>): string {
  const place = join(folder, name);
  cpSync(adapter, place, { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
  return place;
}

const base = { path: 'base.gguf', architecture: 'llama', layers: 2, heads: 2, kvHeads: 2, headWidth: 32 } as const;
const shape = { ...base, width: 64, inner: 64 };

describe('adapterAt', () => {
  it('knows an adapter, as a folder and as GGUF, from a model and from nothing', () => {
    const model = join(folder, 'model.gguf');
    writeTinyModel(model, { kind: 'random', seed: 1 });
    const file = join(folder, 'adapter.gguf');
    writeFileSync(file, peftAsGguf(adapter, shape));
    expect(adapterAt(adapter)).toEqual({ path: adapter, form: 'peft', reading: {} });
    expect(adapterAt(file)).toMatchObject({ form: 'gguf' });
    expect(openingFacts(file).get('general.architecture')).toBe('llama');
    for (const other of [model, join(folder, 'nothing'), join(adapter, 'adapter_config.json')])
      expect(adapterAt(other)).toBeUndefined();
  });

  it('says how an adapter is read where the adapter says it', () => {
    const place = copied('read', { 'reward-model.json': '{ "marker": " ки", "aggregation": "last" }' });
    expect(adapterAt(place)?.reading).toEqual({ marker: ' ки', aggregation: 'last' });
    for (const wrong of ['{ "aggregation": "least" }', '{ "good": 1 }', '{ "tag": "" }', '{'])
      expect(() => adapterAt(copied('read', { 'reward-model.json': wrong }))).toThrow(/reward-model\.json (has|is no)/);
  });

  it('reads what it was measured on, and refuses a format that it does not know', () => {
    const sets = [{ name: 'GSM8K', questions: 439, auc: 0.79 }];
    const measured = { date: '2026-11-17', steps: 'blank lines', sets };
    const saying = (said: object) => adapterAt(copied('format', { 'reward-model.json': JSON.stringify(said) }));
    expect(saying({ format: 1, measured })?.reading.measured).toEqual(measured);
    expect(() => saying({ format: 2, layers: 3 })).toThrow(/reward-model.json is of format 2; this coppice reads 1/);
    for (const wrong of [{ date: 'today' }, { sets: [] }, { sets: [{ ...sets[0], auc: 79 }] }])
      expect(() => saying({ format: 1, measured: { ...measured, ...wrong } })).toThrow(/has unusable values/);
  });

  it('refuses a folder that is no adapter', () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    expect(() => adapterAt(empty)).toThrow(
      /the folder .*empty is no LoRA adapter: there is no adapter_config.json in it/,
    );
    const bare = copied('bare', {});
    rmSync(join(bare, 'adapter_model.safetensors'));
    expect(() => adapterAt(bare)).toThrow(/there is no adapter_model.safetensors in it/);
  });

  it('refuses weights whose sum is another than the one beside them', () => {
    const weights = readFileSync(join(adapter, 'adapter_model.safetensors'));
    const sum = createHash('sha256').update(weights).digest('hex');
    expect(adapterAt(copied('sums', { SHA256SUMS: `${sum}  adapter_model.safetensors\n` }))).toBeDefined();
    expect(adapterAt(copied('sums', { SHA256SUMS: `${'0'.repeat(64)}  another.file\n` }))).toBeDefined();
    const wrong = copied('sums', { SHA256SUMS: `${'0'.repeat(64)}  adapter_model.safetensors\n` });
    expect(() => adapterAt(wrong)).toThrow(
      new RegExp(`adapter_model.safetensors is ${sum}, but .*SHA256SUMS says 0{64}`),
    );
  });
});

describe('peftAsGguf', () => {
  it.each([
    ['layers', { layers: 1 }, /of another base than base.gguf: it changes layer 1, but the base has 1 layers/],
    ['width', { width: 96 }, /of another base than base.gguf: its self_attn.q_proj has 64 inputs, but the base has 96/],
    ['heads', { heads: 3 }, /its self_attn.q_proj has 64 outputs, but the base has 96/],
    ['feed-forward layers', { inner: 128 }, /its mlp.down_proj has 64 inputs, but the base has 128/],
    ['architecture', { architecture: 'gemma3' }, /base.gguf is of architecture gemma3; .* llama, qwen2, qwen3/],
  ])('refuses an adapter of a base with other %s', (_, change, complaint) => {
    expect(() => peftAsGguf(adapter, { ...shape, ...change })).toThrow(complaint);
  });

  it.each([
    ['peft_type', { peft_type: 'IA3' }],
    ['use_dora', { use_dora: true }],
    ['rank_pattern', { rank_pattern: { q_proj: 8 } }],
  ])('refuses an adapter by its %s', (name, config) => {
    const place = writeTinyAdapter(join(folder, 'other'), { seed: 1, config });
    expect(() => peftAsGguf(place, shape)).toThrow(new RegExp(`adapter_config.json describes no adapter .*: ${name}`));
  });

  it('refuses a rank that is not its own, and what it cannot change', () => {
    const place = writeTinyAdapter(join(folder, 'rank'), { seed: 1, config: { r: 8 } });
    expect(() => peftAsGguf(place, shape)).toThrow(/has rank 4 in self_attn.q_proj of layer 0; .* says 8/);
    const other = writeTinyAdapter(join(folder, 'modules'), { seed: 1, modules: ['mlp.other_proj'] });
    expect(() => peftAsGguf(other, shape)).toThrow(
      /changes 'base_model.*other_proj.*'; only attention and feed-forward/,
    );
  });

  it('scales a rank-stabilised adapter by the square root of its rank', () => {
    const alpha = (config: Record<string, unknown>) => {
      const bytes = Buffer.from(peftAsGguf(writeTinyAdapter(join(folder, 'rs'), { seed: 1, config }), shape));
      const key = 'adapter.lora.alpha';
      return bytes.readFloatLE(bytes.indexOf(key) + key.length + 4);
    };
    expect(alpha({})).toBe(8);
    expect(alpha({ use_rslora: true })).toBe(16);
  });
});

describe('the adapters that ship', () => {
  const models = fileURLToPath(new URL('../../../coppice/adapters/', import.meta.url));
  const folders = readdirSync(models, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  it.each(folders)('$name is the file of its card, and says how it is read and what it was measured on', ({ name }) => {
    const place = join(models, name);
    const reading = { format: 1, good: '+', bad: '-', marker: ' ки', aggregation: 'last', measured: expect.anything() };
    expect(adapterAt(place)?.reading).toMatchObject(reading);
    const [sum] = readFileSync(join(place, 'SHA256SUMS'), 'utf8').split(' ');
    expect(readFileSync(join(place, 'README.md'), 'utf8')).toContain(sum);
  });
});
