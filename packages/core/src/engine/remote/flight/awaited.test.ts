import { expect, test } from 'vitest';
import type { EngineMessage, GenerateRequest } from '../../engine.ts';
import { Awaited } from './awaited.ts';
import { childOf } from './queue.ts';

function told(tokens: boolean): EngineMessage[] {
  const messages: EngineMessage[] = [];
  const awaited = new Awaited();
  awaited.connect((message) => messages.push(message));
  const child = childOf({ id: 1, needs: { logprobs: false, tokens, seed: false } } as unknown as GenerateRequest);
  for (let at = 1; at <= 200; at += 1) awaited.token(child, 'word', at);
  return messages;
}

test('every token is told to a client that reads it, and only the length, now and then, where none does', () => {
  expect(told(true)).toHaveLength(200);
  expect(told(false)).toEqual([64, 128, 192].map((tokens) => ({ type: 'token', request: 1, text: '', tokens })));
});
