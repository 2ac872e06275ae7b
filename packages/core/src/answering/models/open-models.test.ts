import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { LlamaTestServer } from '../../../../../tests/servers/llama-server.ts';
import { writeTinyAdapter } from '../../../../../tests/support/tiny-adapter.ts';
import { writeTinyModel } from '../../../../../tests/support/tiny-gguf.ts';
import { createLog } from '../../../../gateway/src/observe/log.ts';
import type { LlamaEngine } from '../../../../llama/src/engine/llama-engine.ts';
import { loadConfig } from '../../config/load.ts';
import { usualSearch } from '../plan/planned-search.ts';
import { openModels } from './open-models.ts';
import { noteFor } from './scorer-note.ts';

let folder: string;
let model: string;
/** Knows short paths alone: measured in a moment. */
let short: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-open-'));
  model = join(folder, 'model.gguf');
  short = join(folder, 'short.gguf');
  writeTinyModel(model, { kind: 'random', seed: 3 });
  writeTinyModel(short, { kind: 'random', seed: 3, contextTokens: 200 });
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Opens a tiny model with itself as its reward model; what the log said, and the generator's cells. */
async function open(memory: { readonly contextTokens: number }, path = model) {
  const lines: string[] = [];
  const log = createLog({ level: 'info', format: 'json', write: (line) => lines.push(line) });
  const engine = { kind: 'llama', model: path, ...memory };
  const verifier = { kind: 'prm', model: path };
  const config = loadConfig({ base: { models: [{ name: 'tiny', engine, verifier }] } });
  const [parts] = await openModels(config.models, {}, log);
  await Promise.all([parts!.engine.close(), parts!.verifier?.close()]);
  return { split: lines.map((line) => JSON.parse(line)).find(({ event }) => event === 'kv-split'), parts: parts! };
}

describe('the KV memory of a served model', () => {
  it('is fixed, and nothing is measured, where it is not', async () => {
    const { split, parts } = await open({ contextTokens: 300 });
    expect(split).toBeUndefined();
    expect(parts.engine.capabilities.contextTokens).toBeLessThanOrEqual(300);
  });
});

it('checks steps where the configuration says so, whatever the verifier', async () => {
  const named = async (check: string) => {
    const simulated = { name: 'm', engine: { kind: 'sim' }, verifier: { kind: 'sim' }, check };
    const [parts] = await openModels(loadConfig({ base: { models: [simulated] } }).models, {});
    await Promise.all([parts!.engine.close(), parts!.verifier?.close()]);
    return parts!.verifier?.capabilities.name;
  };
  expect(await named('arithmetic')).toMatch(/, arithmetic checked$/);
  expect(await named('lines')).toMatch(/, lines checked$/);
  expect(await named('none')).not.toMatch(/checked/);
});

describe('a foreign model', () => {
  async function opened(verifier: Record<string, unknown>) {
    const base = { models: [{ name: 'tiny', engine: { kind: 'llama', model }, verifier }] };
    const [parts] = await openModels(loadConfig({ base }).models, {});
    await Promise.all([parts!.engine.close(), parts!.verifier?.close()]);
    return parts!;
  }

  it('is used with a warning where it has no chat template, and where it is no reward model', async () => {
    const { warnings, verifier } = await opened({ kind: 'prm', model });
    expect(warnings).toHaveLength(2);
    expect(warnings![0]).toContain('has no chat template');
    expect(warnings![1]).toContain('does not tell right steps from wrong ones');
    expect(verifier!.capabilities.trust).toBe(0);
  });

  it('is warned of a shipped reward model, which knows only its own generator', async () => {
    const { warnings } = await opened({ kind: 'prm' });
    expect(warnings?.[1]).toMatch(/^sapling-prm does not tell right steps from wrong ones/);
  });

  it('takes the verdicts that its reward model was trained with, one token each', async () => {
    const own = join(mkdtempSync(join(folder, 'own-')), 'prm.gguf');
    copyFileSync(model, own);
    const say = (reading: object) => writeFileSync(join(dirname(own), 'reward-model.json'), JSON.stringify(reading));
    say({ good: 'yes', bad: 'no' });
    await expect(opened({ kind: 'prm', model: own })).rejects.toThrow(/verdict 'yes' is/);
    say({ good: 'Y', bad: 'N', marker: '#' });
    const { verifier } = await opened({ kind: 'prm', model: own });
    expect(verifier?.capabilities.aggregation).toBe('product');
  });

  it('is its own reward model through an adapter, which says how it is read, on the same weights', async () => {
    const adapter = writeTinyAdapter(join(folder, 'verdict'), { seed: 2 });
    const reading = { format: 1, marker: '#', aggregation: 'last', trust: 0.6 };
    writeFileSync(join(adapter, 'reward-model.json'), JSON.stringify(reading));
    const model = await opened({ kind: 'prm', model: adapter });
    const { verifier, scoredBy, engine, warnings } = model;
    // The folder alone is the recipe: nothing else need be set.
    expect(usualSearch(model)).toMatchObject({ program: 'auto', scoring: 'verifier', aggregation: 'last' });
    expect(warnings?.join()).not.toContain('does not tell right steps');
    expect(verifier?.capabilities).toMatchObject({
      name: expect.stringMatching(/ with verdict$/),
      aggregation: 'last',
      trust: 0.6,
      readingCost: 0.35,
    });
    expect(scoredBy).toBe(`${adapter} on the same weights`);
    expect((engine as LlamaEngine).weights.holders[0]).toBe(0);
    await expect(opened({ kind: 'prm', model: folder })).rejects.toThrow(/is no LoRA adapter/);
  });

  it('on a server has no adapter in this process', async () => {
    const server = await new LlamaTestServer().listen();
    onTestFinished(() => server.close());
    const adapter = writeTinyAdapter(join(folder, 'verdict'), { seed: 2 });
    const engine = { kind: 'openai', urls: [server.url] };
    const { models } = loadConfig({
      base: { models: [{ name: 'm', engine, verifier: { kind: 'prm', model: adapter } }] },
    });
    await expect(openModels(models, {})).rejects.toThrow(
      /verdict is an adapter and has no weights of its own: serve it/,
    );
  });

  it('says that nothing scores it where nothing does', async () => {
    expect(noteFor(await opened({ kind: 'none' }))).toContain('nothing scores them');
    expect(noteFor(await opened({ kind: 'confidence' }))).toContain("the model's own confidence");
  });

  it('is tried on its server too', async () => {
    const server = await new LlamaTestServer().listen();
    onTestFinished(() => server.close());
    const remote = { kind: 'prm', urls: [server.url], format: 'plain' };
    server.reward = () => 0.4;
    expect((await opened(remote)).warnings?.[1]).toMatch(/^the reward model at http.* \(plain\) does not tell right/);
    server.reward = (text) => (/(2 . 3 = 5|8 . 7 = 15|6 . 5 = 11|9 . 4 = 13)\n$/.test(text) ? 0.9 : 0.1);
    const good = await opened(remote);
    expect(good.warnings).toHaveLength(1);
    expect(noteFor(good)).toContain('scored by plain');
  });
});
