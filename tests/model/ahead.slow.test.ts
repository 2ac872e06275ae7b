// Speculation on the embedded engine and real weights, one search at a time: the same answers as without it, and together with a
// draft model. All hundred questions: `npm run bench -- ahead --eager`.

import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type EmbeddedPair,
  embeddedPairs,
  embeddedQuestions,
  embeddedRows,
  isSame,
} from '../../lab/src/speculation/embedded.ts';
import { ownModel } from '../../packages/core/src/answering/models/model-by-name.ts';
import { closeModel, type OpenModel } from '../../packages/core/src/answering/models/open-model.ts';
import { openModel } from '../../packages/core/src/answering/models/open-models.ts';
import { draftDefaults } from '../../packages/llama/src/draft/drafts.ts';
import { LlamaEngine } from '../../packages/llama/src/engine/llama-engine.ts';
import { modelPath } from '../../packages/llama/src/shipped-models.ts';

let model: OpenModel;

beforeAll(async () => {
  model = await openModel(ownModel({ model: 'sapling', check: 'none' }), {});
});

afterAll(() => closeModel(model));

function generated(pairs: readonly EmbeddedPair[], side: keyof EmbeddedPair): number {
  return pairs.reduce((sum, pair) => sum + pair[side].generatedTokens, 0);
}

it('gives the same answers with speculation as without, by every kind of program, and the same bits', async () => {
  for (const row of ['mcts', 'best-first', 'beam'] as const) {
    const { pairs, bits } = await embeddedPairs(model, row, embeddedQuestions(3), 4, true);
    expect(pairs.filter((pair) => !isSame(pair)).map(({ ahead }) => [row, ahead.question])).toEqual([]);
    expect(generated(pairs, 'ahead')).toBeGreaterThan(generated(pairs, 'without'));
    expect(bits.compared).toBeGreaterThan(20);
    expect(bits.other).toBe(0);
  }
});

it('goes together with a draft model: both do their work, and every search ends with an answer', async () => {
  const draft = { ...draftDefaults, model: modelPath('sapling-draft') };
  const engine = await LlamaEngine.open({ model: modelPath('sapling'), draft });
  try {
    expect(engine.capabilities.seeded).toBe(false);
    const { pairs } = await embeddedPairs({ ...model, engine }, 'best-first', embeddedQuestions(3), 4, true);
    expect(
      pairs.every(({ ahead }) => ahead.rollouts >= 1 && ahead.rollouts <= embeddedRows['best-first'].rollouts),
    ).toBe(true);
    for (const { ahead } of pairs) expect(['accepted', 'exhausted']).toContain(ahead.exit);
    expect(engine.counts.acceptedTokens).toBeGreaterThan(0);
    expect(generated(pairs, 'ahead')).toBeGreaterThan(generated(pairs, 'without'));
    expect(engine.load()).toMatchObject({ runningSequences: 0, waitingSequences: 0 });
  } finally {
    await engine.close();
  }
});
