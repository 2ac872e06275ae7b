import { expect, test } from 'vitest';
import type { Connection } from '../../../remote/connection.ts';
import type { Prompt } from '../../../tree/step.ts';
import { dialects } from './dialects.ts';
import { type Renderer, render } from './render.ts';

/** A server whose tokenizer says this, whatever it is asked. */
function saying(tokens: readonly number[]): Renderer {
  const connection = { url: 'http://server', json: async () => ({ tokens }) } as unknown as Connection;
  return { connection, dialect: dialects.vllm, facts: { dialect: 'vllm', model: 'm' } as Renderer['facts'] };
}

const chat: Prompt = { kind: 'chat', messages: [{ role: 'user', content: 'hello' }] };
const text: Prompt = { kind: 'text', text: 'hello' };

test('a first token that template and tokenizer both write is kept once, in a conversation alone', async () => {
  expect(await render(chat, saying([1, 1, 7]))).toEqual([1, 7]);
  expect(await render(chat, saying([1, 7, 7]))).toEqual([1, 7, 7]);
  expect(await render(text, saying([7, 7, 8]))).toEqual([7, 7, 8]);
});

test('a server that gives no tokens is named', async () => {
  await expect(render(chat, saying([]))).rejects.toThrow('http://server/tokenize gave no tokens');
});
