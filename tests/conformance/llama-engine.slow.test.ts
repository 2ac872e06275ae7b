import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { LlamaEngine } from '../../packages/llama/src/engine/llama-engine.ts';
import { engineConformance } from '../support/conformance.ts';
import { writeTinyModel } from '../support/tiny-gguf.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-llama-'));
  writeTinyModel(join(folder, 'model.gguf'), { kind: 'random', seed: 3 });
});

afterAll(() => rmSync(folder, { recursive: true }));

engineConformance('llama', async () => {
  const engine = await LlamaEngine.open({ model: join(folder, 'model.gguf') });
  return {
    engine,
    work: () => setTimeout(1),
    close: () => engine.close(),
    prompt: { kind: 'text', text: 'Once upon a time' },
    delimiters: ['\n'],
    maxTokens: 400,
  };
});
