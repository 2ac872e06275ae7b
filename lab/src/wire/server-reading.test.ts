import { expect, it } from 'vitest';
import { generatedOn } from './server-reading.ts';

it('adds up the engines of a server, of each kind, and knows when it is told nothing', () => {
  const vllm = 'vllm:generation_tokens_total{engine="0"} 1.5e+03\nvllm:generation_tokens_total{engine="1"} 20.0\n';
  expect(generatedOn(vllm)).toBe(1520);
  expect(
    generatedOn('# TYPE sglang:generation_tokens_total counter\nsglang:generation_tokens_total{m="x"} 7.0\n'),
  ).toBe(7);
  expect(generatedOn('llamacpp:prompt_tokens_total 3\nllamacpp:tokens_predicted_total 9\n')).toBe(9);
  expect(generatedOn('vllm:prompt_tokens_total 3\n')).toBeUndefined();
});
