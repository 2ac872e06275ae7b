import { describe, expect, it } from 'vitest';
import { turnIn } from '../../../tree/readings/agent-turn.ts';
import type { Call, ServerFacts } from './dialect.ts';
import { dialects } from './dialects.ts';
import { turnDialect } from './turn.ts';

const written = { role: 'tool', tool_call_id: 'a', content: 'rain' };
const tools = [{ type: 'function', function: { name: 'weather' } }];
const call: Call = {
  name: 'coppice-00000000-0000000001',
  prompt: {
    kind: 'chat',
    messages: [
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'rain', written },
    ],
    turn: { tools, tool_choice: 'required' },
    template: { enable_thinking: false },
  },
  tokenIds: undefined,
  pathText: '',
  said: [{ role: 'user', content: 'again' }],
  siblings: 2,
  logprobs: false,
  delivery: 'whole',
  sampling: { temperature: 0.5, extras: { presence_penalty: 1, nonsense: 2 } },
  seed: 7,
  stops: [],
  maxTokens: 100,
  lane: 'primary',
  priority: 3,
};
const facts: ServerFacts = {
  dialect: 'vllm',
  version: '1',
  model: 'served',
  contextTokens: 4096,
  sequenceLimit: undefined,
  priorityOrder: 'lower-first',
  seeded: true,
  logprobs: true,
  countsCache: true,
  prefixCaching: true,
  returnsTokens: true,
};

/** As it goes over the wire. */
function bodyOf(name: keyof typeof dialects, own: Partial<Call> = {}, served = facts) {
  const { path, body } = turnDialect(dialects[name]).encode({ ...call, ...own }, served);
  expect(path).toBe('/v1/chat/completions');
  return JSON.parse(JSON.stringify(body)) as Record<string, unknown>;
}

describe('a request for turns', () => {
  it('is the conversation as it was written, with fields that the server knows', () => {
    expect(bodyOf('vllm')).toEqual({
      model: 'served',
      messages: [{ role: 'user', content: 'q' }, written, { role: 'user', content: 'again' }],
      tools,
      tool_choice: 'required',
      chat_template_kwargs: { enable_thinking: false },
      max_tokens: 100,
      n: 2,
      temperature: 0.5,
      top_p: 1,
      top_k: 0,
      min_p: 0,
      presence_penalty: 1,
      seed: 7,
      stream: false,
      priority: -3,
    });
    expect(bodyOf('sglang')).toMatchObject({ top_k: -1 });
    const plain = bodyOf('openai', { siblings: 1 });
    for (const name of ['top_k', 'min_p', 'n', 'priority']) expect(plain).not.toHaveProperty(name);
  });

  it('names no limit that might not fit beside the conversation', () => {
    expect(bodyOf('vllm', {}, { ...facts, contextTokens: 200 })).not.toHaveProperty('max_tokens');
    expect(bodyOf('vllm', {}, { ...facts, contextTokens: undefined })).toMatchObject({ max_tokens: 100 });
  });
});

describe('an answer', () => {
  const decode = (choices: unknown) =>
    turnDialect(dialects.vllm).decode({ choices, usage: { prompt_tokens: 9 } }, call);
  const called = (given: unknown) => ({ function: { name: 'weather', arguments: given } });

  it.each([
    ['words', { content: 'hi' }, { content: 'hi', calls: [] }],
    ['thinking', { content: 'hi', reasoning_content: 'so' }, { content: 'hi', reasoning: 'so', calls: [] }],
    [
      'a call',
      { content: '', tool_calls: [called('{"a":1}')] },
      { content: null, calls: [{ name: 'weather', arguments: '{"a":1}' }] },
    ],
    [
      'a value',
      { tool_calls: [called({ a: 1 })] },
      { content: null, calls: [{ name: 'weather', arguments: '{"a":1}' }] },
    ],
    [
      'a call that its parser missed',
      { content: '{"name": "weather", "arguments": {"a": 1}}\n' },
      { content: null, calls: [{ name: 'weather', arguments: '{"a":1}' }] },
    ],
    ['nonsense', { content: 7, tool_calls: [null, {}] }, { content: null, calls: [{ name: '', arguments: '{}' }] }],
  ])('with %s is one text', (_, message, turn) => {
    const [update] = decode([{ index: 1, message, finish_reason: 'tool_calls' }]);
    expect(update).toMatchObject({ index: 1, end: 'eos', usage: { promptTokens: 9 } });
    expect(turnIn(update!.text)).toEqual(turn);
  });

  it('that was cut or filtered is told as such, and one without a message is broken', () => {
    expect(decode([{ message: {}, finish_reason: 'length' }])).toMatchObject([{ index: 0, end: 'length' }]);
    expect(() => decode([{ message: {}, finish_reason: 'content_filter' }])).toThrow('content filter');
    expect(() => decode([{ text: 'hi' }])).toThrow('a choice without message');
    expect(() => decode(undefined)).toThrow('without choices');
  });
});
