// Tokenisation in libllama equals that of training: 10,000 stored strings, the awkward ones included, in all three models.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { loadBinding } from '../../packages/llama/src/native/binding.ts';
import { Model } from '../../packages/llama/src/native/model.ts';
import { findLibrary } from '../../packages/llama/src/native/platform.ts';
import { modelPath, shippedModels } from '../../packages/llama/src/shipped-models.ts';

const stored = gunzipSync(readFileSync(new URL('../fixtures/sapling-tokens.jsonl.gz', import.meta.url)));
const vectors = stored
  .toString('utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as [string, number[]]);

describe.each(shippedModels)('%s', (name) => {
  it('tokenises as it was trained', () => {
    expect(vectors).toHaveLength(10_000);
    const model = Model.load(loadBinding(findLibrary()), modelPath(name));
    try {
      const different = vectors.filter(([text, ids]) => model.tokenize(text).join() !== ids.join());
      expect(different).toEqual([]);
      expect(model.tokenizePrompt({ kind: 'text', text: 'Make 24 from 4 7 8 8.\n' })[0]).toBe(0);
    } finally {
      model.close();
    }
  });
});
