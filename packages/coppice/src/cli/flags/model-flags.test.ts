import { describe, expect, it } from 'vitest';
import { ownModel } from '../../../../core/src/answering/models/model-by-name.ts';
import { readModelFlags } from './model-flags.ts';
import { everySetting, readSettings } from './settings.ts';

function modelOf(values: Parameters<typeof readModelFlags>[0], ...set: string[]) {
  return ownModel(readModelFlags(values, false, readSettings(set, everySetting).model));
}

describe('the flags of a model', () => {
  it('can be combined with settings of its parts', () => {
    expect(modelOf({ budget: '4' }, 'engine.gpu=vulkan', 'delimiters=\\n')).toMatchObject({
      budget: 4,
      engine: { gpu: 'vulkan' },
      delimiters: ['\n'],
    });
  });

  it.each([
    [{}, ['engine.gpu=fast'], /--set engine.gpu is 'fast'; it must be one of auto, cuda, vulkan, metal, off/],
    [{ engine: ['http://127.0.0.1:1'] }, ['engine.gpu=cuda'], /engines of kind llama; this one is 'openai'/],
    [{}, ['embedder.model=m'], /--set embedder.model belongs to --embedder URL, which is not given/],
    [{ 'key-env': 'KEY' }, [], /--key-env belongs to --engine URL/],
    [{ prm: 'sapling-prm', verifier: ['http://127.0.0.1:1'] }, [], /give one of them/],
    [{ budget: '4' }, ['budget=5'], /--budget and --set budget say the same/],
    [{}, ['engine.urls=http://x'], /--engine sets this/],
    [{}, ['boundprune=best'], /did you mean boundPrune\?/],
    [{}, ['topP=1'], /did you mean sampling.topP\?/],
    [{}, ['threshold=3'], /--threshold is 3; it must be a number from 0 to 1/],
    [{}, ['maxDepth'], /needs a value: --set maxDepth=VALUE/],
  ])('are refused in one line: %j %j', (values, set, message) => {
    expect(() => modelOf(values, ...set)).toThrow(message);
  });
});
