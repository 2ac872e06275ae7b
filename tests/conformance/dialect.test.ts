import { expect, it } from 'vitest';
import { dialects } from '../../packages/gateway/src/api/create.ts';
import type { Loose } from '../support/loose.ts';
import { type DialectClient, dialectConformance } from './dialect.ts';

const format = { type: 'json_schema', name: 'n', schema: { type: 'object' } };

function ofType(events: readonly Loose[], type: string): Loose[] {
  return events.filter((event) => event.type === type);
}

const chat: DialectClient = {
  path: '/v1/chat/completions',
  ask: (content) => ({ model: 'm', messages: [{ role: 'user', content }], stream_options: { include_usage: true } }),
  direct: { reasoning_effort: 'none' },
  background: {},
  refused: [
    [{ coppice: { nonsense: 1 } }, 'coppice.nonsense'],
    [{ max_completion_tokens: 0 }, 'max_completion_tokens'],
    [{ response_format: { type: 'json_schema', json_schema: format } }, 'response_format'],
    [{ echo: true }, 'echo'],
    [{ reasoning_effort: 'none', coppice: { rollouts: 2 } }, 'coppice.rollouts'],
  ],
  beyond: { tools: [{ type: 'function', function: { name: 'f' } }] },
  textOf: ({ choices }) => choices[0].message.content,
  usageOf: ({ usage }) => usage,
  streamedText: (events) => events.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join(''),
  streamedUsage: (events) => events.at(-1)?.usage,
  streamedFailure: (events) => events.at(-1)?.error?.code,
  isError: ({ error, ...rest }) => typeof error.message === 'string' && Object.keys(rest).length === 0,
};

const responses: DialectClient = {
  path: '/v1/responses',
  ask: (input) => ({ model: 'm', input }),
  direct: { reasoning: { effort: 'none' } },
  background: { background: true },
  refused: [
    [{ coppice: { nonsense: 1 } }, 'coppice.nonsense'],
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
    [{ text: { format } }, 'text.format'],
    [{ input: [{ role: 'user', content: '' }] }, 'input'],
    [{ store: false, background: true }, 'store'],
  ],
  beyond: { tools: [{ type: 'function', name: 'f' }] },
  textOf: ({ output }) => ofType(output, 'message')[0]?.content[0].text ?? '',
  usageOf: ({ usage }) => usage,
  streamedText: (events) =>
    ofType(events, 'response.output_text.delta')
      .map(({ delta }) => delta)
      .join(''),
  streamedUsage: (events) => events.at(-1)?.response.usage,
  streamedFailure: (events) => events.at(-1)?.response.error?.code,
  isError: chat.isError,
};

const messages: DialectClient = {
  path: '/v1/messages',
  ask: (content) => ({ model: 'm', max_tokens: 1000, messages: [{ role: 'user', content }] }),
  direct: {},
  background: {},
  refused: [
    [{ coppice: { nonsense: 1 } }, 'coppice.nonsense'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ output_config: { format } }, 'output_config.format'],
    [{ echo: true }, 'echo'],
    [{ output_config: { effort: 'endless' } }, 'output_config.effort'],
  ],
  beyond: { tools: [{ name: 'f', input_schema: { type: 'object' } }] },
  textOf: ({ content }) => ofType(content, 'text')[0]?.text ?? '',
  usageOf: ({ usage }) => usage,
  streamedText: (events) => events.map(({ delta }) => delta?.text ?? '').join(''),
  streamedUsage: (events) => ofType(events, 'message_delta')[0]?.usage,
  streamedFailure: (events) => ofType(events, 'error')[0]?.error.code,
  isError: ({ type, error }) => type === 'error' && typeof error.message === 'string',
};

const noBackground = { test: 'is taken up in the background, and answered at once', reason: 'it has no such field' };

dialectConformance('chat completions', chat, [noBackground]);
dialectConformance('responses', responses);
dialectConformance('messages', messages, [
  noBackground,
  { test: 'says the same without search', reason: 'no effort of it is none' },
]);

it('has a client here for every dialect of the list', () => {
  expect(dialects.map(({ path }) => path)).toEqual([chat, responses, messages].map(({ path }) => path));
});
