import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import { tableCost } from '../../packages/core/src/cost/table.ts';
import type { Prompt, Step } from '../../packages/core/src/tree/step.ts';
import { CheckedVerifier } from '../../packages/core/src/verifier/checked-verifier.ts';
import { CommandVerifier } from '../../packages/core/src/verifier/command/command-verifier.ts';
import { confidence } from '../../packages/core/src/verifier/confidence/confidence-verifier.ts';
import { defineVerifier, makeVerifier } from '../../packages/core/src/verifier/definition.ts';
import { LlamaEngine } from '../../packages/llama/src/engine/llama-engine.ts';
import { LlamaPrm } from '../../packages/llama/src/prm/llama-prm.ts';
import { tasks } from '../../packages/llama/src/task/recognise.ts';
import { prm7b } from '../../packages/sim/src/engine/h200.ts';
import { World } from '../../packages/sim/src/engine/world.ts';
import { SimVerifier } from '../../packages/sim/src/verifier/sim-verifier.ts';
import { verifierConformance } from '../support/conformance.ts';
import { sandbox } from '../support/judged-answers.ts';
import { writeTinyAdapter } from '../support/tiny-adapter.ts';
import { writeTinyModel } from '../support/tiny-gguf.ts';

const prompt: Prompt = { kind: 'text', text: 'Once' };
const steps = ['one\n', 'two\n', 'three\n', 'four\n'].map(
  (text): Step => ({ text, tokens: text.length, meanLogprob: -0.5, end: 'delimiter' }),
);

verifierConformance('confidence', async () => {
  const verifier = makeVerifier(confidence);
  return { verifier, prompt, steps, work: async () => {}, close: () => verifier.close() };
});

verifierConformance('checked', async () => {
  const verifier = new CheckedVerifier(makeVerifier(confidence), { check: 'lines', tasks });
  return { verifier, prompt, steps, work: async () => {}, close: () => verifier.close() };
});

for (const reusesPrefix of [true, false])
  verifierConformance(`sim, prefix reuse ${reusesPrefix}`, () => openSim(reusesPrefix));

async function openSim(reusesPrefix: boolean) {
  const world = new World();
  const source = { promptTokens: () => 10, reward: (_: Prompt, path: readonly unknown[]) => 1 / (1 + path.length) };
  const options = { cost: tableCost(prm7b), replicas: 2, passTokens: 512, kvTokens: 10_000, reusesPrefix };
  const verifier = new SimVerifier(world, source, options);
  return { verifier, prompt, steps, work: async () => world.run(() => {}), close: () => verifier.close() };
}

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-verifier-'));
  writeTinyModel(join(folder, 'prm.gguf'), { kind: 'random', seed: 3 });
});

afterAll(() => rmSync(folder, { recursive: true }));

verifierConformance('embedded reward model', async () => {
  const verifier = await LlamaPrm.open({ model: join(folder, 'prm.gguf'), vocabularyHash: 0 });
  return { verifier, prompt, steps, work: () => setTimeout(1), close: () => verifier.close() };
});

verifierConformance('embedded reward model, an adapter of its generator', async () => {
  const model = join(folder, 'prm.gguf');
  const adapter = writeTinyAdapter(join(folder, 'adapter'), { seed: 4 });
  const engine = await LlamaEngine.open({ model });
  const { weights, info } = engine;
  const verifier = await LlamaPrm.open({ model, adapter, weights, marker: '#', vocabularyHash: info.vocabularyHash });
  const close = async () => void (await Promise.all([engine.close(), verifier.close()]));
  return { verifier, prompt, steps, work: () => setTimeout(1), close };
});

for (const later of [false, true]) {
  verifierConformance(`a scoring function, ${later ? 'later' : 'at once'}`, async () => {
    const part = defineVerifier({
      name: 'short',
      summary: 'likes short steps',
      options: { least: { default: 0.1, low: 0, high: 1, unit: 'reward', why: 'of the longest' } },
      make:
        ({ least }) =>
        ({ step }) =>
          later ? Promise.resolve(least + 1 / (2 + step.text.length)) : least + 1 / (2 + step.text.length),
    });
    const verifier = makeVerifier(part, { least: 0.2 });
    return { verifier, prompt, steps, work: async () => {}, close: () => verifier.close() };
  });
}

verifierConformance('a function of question and steps, with nothing else said', async () => ({
  verifier: defineVerifier((_question, steps) => 1 / (1 + steps.join('').length)),
}));

verifierConformance('a process of the operator', async () => {
  const judge = 'read -r line; echo \'{"reward": 0.5, "feedback": "so so"}\'';
  const verifier = new CommandVerifier({ command: ['/bin/sh', '-c', judge], sandbox });
  const whole = steps.map((step) => ({ ...step, end: 'eos' as const }));
  return { verifier, prompt, steps: whole, work: () => setTimeout(1), close: () => verifier.close() };
});
