import { expect, it } from 'vitest';
import { sharedServerWarning } from './shared-server.ts';

const one = { dialect: 'sglang', engines: ['http://a:1/v1'], verifiers: ['http://a:1'], kind: 'math-shepherd' };

it('warns of one SGLang that generates and scores, by whatever path it is named', () => {
  expect(sharedServerWarning(one)).toContain('start a server for each');
  expect(sharedServerWarning({ ...one, dialect: 'vllm+sglang' })).toBeDefined();
});

it('warns of nothing else', () => {
  expect(sharedServerWarning({ ...one, verifiers: ['http://a:2'] })).toBeUndefined();
  expect(sharedServerWarning({ ...one, dialect: 'vllm' })).toBeUndefined();
  expect(sharedServerWarning({ ...one, kind: 'judge' })).toBeUndefined();
});
