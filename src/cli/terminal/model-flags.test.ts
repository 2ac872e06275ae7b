import { describe, expect, it } from 'vitest';
import { readModelFlags } from './model-flags.ts';

describe('the flags of a model', () => {
  it('say what the embedded engine computes on', () => {
    expect(readModelFlags({ gpu: 'vulkan' }, false)).toMatchObject({ gpu: 'vulkan' });
    expect(readModelFlags({}, false)).not.toHaveProperty('gpu');
  });

  it.each([
    [{ gpu: 'fast' }, /--gpu is 'fast'; it must be one of auto, cuda, vulkan, metal, off/],
    [{ gpu: 'cuda', engine: ['http://127.0.0.1:1'] }, /--gpu is for the embedded engine/],
    [{ draft: 'sapling-draft', engine: ['http://127.0.0.1:1'] }, /--draft is for the embedded engine/],
    [{ 'embedder-model': 'm' }, /--embedder-model belongs to --embedder URL, which is not given/],
    [{ 'embedder-key-env': 'KEY' }, /--embedder-key-env belongs to --embedder URL/],
    [{ prm: 'sapling-prm', verifier: ['http://127.0.0.1:1'] }, /give one of them/],
  ])('are refused in one line: %j', (values, message) => {
    expect(() => readModelFlags(values, false)).toThrow(message);
  });
});
