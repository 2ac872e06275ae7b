import { expect, it } from 'vitest';
import { gpuTokens } from './gpu-tokens.ts';

const servers = 'lab/recorded/qwen2.5-coder-1.5b-two-servers.json';

it('divides steps among their sequences, and the largest pass among its tokens', () => {
  const { writtenMs, readMs } = gpuTokens(servers, 64);
  expect(writtenMs).toBeCloseTo((4.7649928 + 4.8568884) / 2 / 64, 6);
  expect(readMs).toBeCloseTo(441.20056 / 16320, 6);
  // Fuller steps are cheaper a token: reading is as dear as writing then.
  expect(readMs / writtenMs).toBeCloseTo(0.36, 2);
  expect(readMs / gpuTokens(servers, 256).writtenMs).toBeCloseTo(0.93, 2);
});

it('names the sequences that were measured', () => {
  expect(() => gpuTokens(servers, 3)).toThrow('has steps of 1, 8, 32, 64, 128, 256 sequences, not 3');
});
