import { describe, expect, test } from 'vitest';
import type { Loose } from '../../../../tests/support/loose.ts';
import { ask, post, question, runGateway } from '../../../../tests/support/running-gateway.ts';

describe('a refusal says in one line what was written and what may be', () => {
  const messages = question.messages;
  const cases: [string, string, object, string][] = [
    ['too large a number', 'chat/completions', { messages, n: 17 }, "'n' is 17; it must be at most 16"],
    ['a field left out', 'messages', { messages }, "'max_tokens' is missing; it must be a whole number from 1 to"],
    ['a letter too many', 'chat/completions', { messages, coppice: { programm: 'mcts' } }, "did you mean 'program'?"],
  ];

  test.each(cases)('%s', async (_, path, body, words) => {
    const { url } = await runGateway();
    const response = await post(`${url}/v1/${path}`, { model: 'm', ...body });
    expect([response.status, ((await response.json()) as Loose).error.message]).toEqual([
      400,
      expect.stringContaining(words),
    ]);
  });
});

describe('what cannot be honoured is refused by name', () => {
  const cases: [string, object, string][] = [
    ['n', { n: 17 }, 'invalid_value'],
    ['n', { n: 2, reasoning_effort: 'none' }, 'unsupported_parameter'],
    ['logprobs', { logprobs: true }, 'unsupported_parameter'],
    ['response_format', { response_format: { type: 'json_object' } }, 'unsupported_parameter'],
    ['tools', { tools: [{ type: 'function' }] }, 'unsupported_parameter'],
    ['repetition_penalty', { repetition_penalty: 'much' }, 'invalid_value'],
    ['top_logprobs', { logprobs: true, top_logprobs: 3 }, 'unsupported_parameter'],
    ['guided_choice', { extra_body: { guided_choice: ['a', 'b'] } }, 'unsupported_parameter'],
    ['structured_outputs', { structured_outputs: { regex: 'a+' } }, 'unsupported_parameter'],
    ['response_format', { guided_json: '{"type": "object"}' }, 'unsupported_parameter'],
    ['guided_json', { guided_json: 'no schema' }, 'invalid_value'],
    ['coppice.nonsense', { extra_body: { coppice: { nonsense: 1 } } }, 'unknown_parameter'],
    ['include_stop_str_in_output', { include_stop_str_in_output: true }, 'unsupported_parameter'],
    [
      'messages.0.content.0',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
      'unsupported_parameter',
    ],
    ['messages.0.role', { messages: [{ role: 'tool', content: 'x' }] }, 'unsupported_parameter'],
    ['coppice.policy', { coppice: { program: 'best-of-n', policy: 'boost' } }, 'unsupported_parameter'],
    ['coppice.gamma', { coppice: { gamma: 1 } }, 'unknown_parameter'],
    ['seed', { seed: 0.5 }, 'invalid_value'],
    ['coppice.nonsense', { coppice: { nonsense: 1 } }, 'unknown_parameter'],
    ['temperature', { temperature: 3 }, 'invalid_value'],
    ['messages', { messages: [] }, 'invalid_value'],
    ['coppice.rollouts', { coppice: { rollouts: 100_000 } }, 'invalid_value'],
    ['coppice.rollouts', { reasoning_effort: 'none', coppice: { rollouts: 2 } }, 'unsupported_parameter'],
    ['temperature', { temperature: 0.5, coppice: { program: 'greedy' } }, 'unsupported_parameter'],
    ['model', { model: 'other' }, 'model_not_found'],
  ];

  test.each(cases)('%s', async (param, body, code) => {
    const { url } = await runGateway({ config: { server: { foreignNames: 'refuse' } } });
    const answer = await ask(url, body);
    expect(answer).toMatchObject({ status: code === 'model_not_found' ? 404 : 400, error: { param, code } });
  });

  test('fields that ask for nothing are taken', async () => {
    const { url } = await runGateway();
    const nothing = {
      n: 1,
      tools: [],
      tool_choice: 'auto',
      frequency_penalty: 0,
      presence_penalty: 0,
      logit_bias: {},
      store: false,
    };
    const more = {
      response_format: { type: 'text' },
      top_logprobs: null,
      user: 'u',
      metadata: { a: 'b' },
      modalities: ['text'],
    };
    expect((await ask(url, { ...nothing, ...more })).status).toBe(200);
    const before = { role: 'assistant', content: 'a', refusal: null, tool_calls: [], reasoning_content: 'thought' };
    const messages = [{ role: 'user', content: 'x' }, before, { role: 'user', content: [{ type: 'text', text: 'y' }] }];
    expect((await ask(url, { messages })).status).toBe(200);
  });

  test('what changes nothing for a search is taken, and named in a header', async () => {
    const { url } = await runGateway();
    const asked = {
      ...question,
      messages: [{ ...question.messages[0], type: 'text', name: 'ann' }],
      ignore_eos: true,
      stop: null,
      stream: true,
      stream_options: { include_usage: true, continuous_usage_stats: true },
    };
    const response = await post(`${url}/v1/chat/completions`, asked);
    expect(response.status).toBe(200);
    expect(response.headers.get('x-coppice-ignored')).toBe(
      'messages.type, messages.name, ignore_eos, stream_options.continuous_usage_stats',
    );
    expect((await post(`${url}/v1/chat/completions`, question)).headers.get('x-coppice-ignored')).toBeNull();
    const other = { model: 'm', input: 'x', ignore_eos: true };
    expect((await post(`${url}/v1/responses`, other)).headers.get('x-coppice-ignored')).toBe('ignore_eos');
  });

  test('a search that is refused leaves nothing in the journal', async () => {
    const { url, journal } = await runGateway();
    await ask(url, { coppice: { program: 'best-of-n', policy: 'boost' } });
    expect(await journal.list({ limit: 10 })).toEqual([]);
  });
});
