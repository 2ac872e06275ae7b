import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Inbox } from '../../../../tests/support/inbox.ts';
import { generateRequest } from '../../../../tests/support/requests.ts';
import { writeTinyModel } from '../../../../tests/support/tiny-gguf.ts';
import type { EngineMessage } from '../../../core/src/engine/engine.ts';
import type { VerifierMessage } from '../../../core/src/verifier/verifier.ts';
import { LlamaEngine } from '../engine/llama-engine.ts';
import { LlamaPrm } from './llama-prm.ts';

let folder: string;
let model: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-prm-'));
  model = join(folder, 'random.gguf');
  writeTinyModel(model, { kind: 'random', seed: 3 });
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('LlamaPrm', () => {
  it('scores steps that the engine generated, from their token ids, computing only what is new', async () => {
    const engine = await LlamaEngine.open({ model });
    const prm = await LlamaPrm.open({
      model,
      vocabularyHash: engine.info.vocabularyHash,
    });
    const steps = new Inbox<EngineMessage>();
    const scores = new Inbox<VerifierMessage>();
    engine.connect(steps.post);
    prm.connect(scores.post);
    engine.generate([generateRequest(1), generateRequest(2, { seed: 9 })]);
    await steps.answered(2);
    const [first, second] = steps.answers.map((message) => (message.type === 'step' ? message.step : undefined));
    const { prompt } = generateRequest(0);
    const common = { search: 'search', prompt, lane: 'primary', priority: 0 } as const;
    prm.score([
      { ...common, id: 1, parent: 0, index: 0, path: [], step: first! },
      { ...common, id: 2, parent: 0, index: 1, path: [], step: second! },
    ]);
    await scores.answered(2);
    prm.score([{ ...common, id: 3, parent: 1, index: 0, path: [{ key: 1, step: first! }], step: second! }]);
    await scores.answered(3);
    for (const message of scores.answers) {
      expect(message.type === 'score' && message.reward).toBeGreaterThan(0);
      expect(message.type === 'score' && message.reward).toBeLessThan(1);
    }
    const last = scores.answers.at(-1);
    expect(last?.type === 'score' && last.usage).toEqual({
      computedTokens: second!.tokens,
      cachedTokens: 'Once'.length + first!.tokens,
    });
    await Promise.all([engine.close(), prm.close()]);
  });
});
