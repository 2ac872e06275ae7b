// What a client of each API gets of a model's thinking: for the fast test of a short chain and the slow one of a long one.

import { expect } from 'vitest';
import { thoughtAnswer } from '../servers/model.ts';
import { askThinker, coppice, eventsOf, thinkerAsk, wordsIn } from './thinker.ts';

export async function expectAnswered(url: string, words: number): Promise<void> {
  const { choices, usage, coppice: told } = await askThinker(url);
  const { content, reasoning, reasoning_content } = choices[0].message;
  expect(content).toBe(thoughtAnswer);
  expect(reasoning).toBe(reasoning_content);
  expect(wordsIn(reasoning)).toBe(words);
  expect(reasoning).not.toMatch(/think>/);
  expect(choices[0].finish_reason).toBe('stop');
  expect(told).toMatchObject({ answer: '42', complete: true });
  expect(usage.completion_tokens_details.reasoning_tokens).toBeGreaterThanOrEqual(words);
  expect(told.tokens.answer).toBeLessThan(64);
}

export async function expectStreamed(url: string, words: number): Promise<void> {
  const deltas = (await eventsOf(url, '/v1/chat/completions', thinkerAsk)).map(
    (each) => each.choices?.[0]?.delta ?? {},
  );
  const joined = (field: string) => deltas.map((delta) => delta[field] ?? '').join('');
  expect(joined('content')).toBe(thoughtAnswer);
  expect(wordsIn(joined('reasoning'))).toBe(words);
  expect(joined('reasoning')).toBe(joined('reasoning_content'));

  const items = await eventsOf(url, '/v1/responses', { model: 'thinker', input: 'what is it?', coppice });
  const said = (type: string) =>
    items
      .filter((each) => each.type === type)
      .map(({ delta }) => delta)
      .join('');
  expect(wordsIn(said('response.reasoning_text.delta'))).toBe(words);
  expect(said('response.output_text.delta')).toBe(thoughtAnswer);

  const thinking = { type: 'enabled', budget_tokens: 30_000 };
  const message = { model: 'thinker', max_tokens: 40_000, messages: thinkerAsk.messages, thinking, coppice };
  const blocks = (await eventsOf(url, '/v1/messages', message)).map((each) => each.delta ?? {});
  expect(wordsIn(blocks.map((each) => each.thinking ?? '').join(''))).toBe(words);
  expect(blocks.map((each) => each.text ?? '').join('')).toBe(thoughtAnswer);
}
