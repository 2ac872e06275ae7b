import { describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../../engine.ts';
import { groupSiblings } from '../flight/siblings.ts';
import type { Call, ServerFacts } from './dialect.ts';
import { wirePriority } from './dialect.ts';
import { dialects } from './dialects.ts';

const call: Call = {
  name: 'coppice-00000000-0000000001',
  prompt: { kind: 'chat', messages: [{ role: 'user', content: 'q' }] },
  tokenIds: [1, 2],
  pathText: '',
  siblings: 1,
  logprobs: true,
  delivery: 'tokens',
  sampling: { temperature: 0.8 },
  seed: 7,
  stops: ['\n\n', '\n\n\n'],
  maxTokens: 20,
  lane: 'primary',
  priority: 3,
};

const facts: ServerFacts = {
  dialect: 'vllm',
  version: '1',
  model: 'm',
  contextTokens: 100,
  sequenceLimit: undefined,
  priorityOrder: 'none',
  seeded: true,
  logprobs: true,
  countsCache: true,
  prefixCaching: true,
  returnsTokens: true,
};

describe('priorities', () => {
  it('map to each sign, and put every primary request before every speculative one', () => {
    const speculative: Call = { ...call, lane: 'speculative', priority: 1e9 };
    expect(wirePriority(call, 'none')).toBeUndefined();
    expect(wirePriority(call, 'higher-first')!).toBeGreaterThan(wirePriority(speculative, 'higher-first')!);
    expect(wirePriority(call, 'lower-first')!).toBeLessThan(wirePriority(speculative, 'lower-first')!);
    expect(wirePriority({ ...call, priority: 4 }, 'lower-first')!).toBeLessThan(wirePriority(call, 'lower-first')!);
  });
});

it('token ids are left out where nothing continues a step and the server can', () => {
  const body = (name: keyof typeof dialects, ids?: boolean) =>
    dialects[name].encode(ids === undefined ? call : { ...call, ids }, facts).body;
  expect([body('vllm'), body('vllm', false)]).toMatchObject([{ return_token_ids: true }, { return_token_ids: false }]);
  expect([body('llama-server'), body('llama-server', false)]).toMatchObject([
    { return_tokens: true },
    { return_tokens: false },
  ]);
});

describe('sampling fields of a client', () => {
  it('reach the servers that take them, under their own names', () => {
    const extras = { repetition_penalty: 1.1, presence_penalty: 0.5, mirostat: 2, nonsense: 1 };
    const body = (name: keyof typeof dialects) =>
      dialects[name].encode({ ...call, sampling: { temperature: 1, extras } }, facts).body;
    expect(body('vllm')).toMatchObject({ repetition_penalty: 1.1, presence_penalty: 0.5 });
    expect(body('sglang').sampling_params).toMatchObject({ repetition_penalty: 1.1, presence_penalty: 0.5 });
    expect(body('llama-server')).toMatchObject({ repeat_penalty: 1.1, presence_penalty: 0.5, mirostat: 2 });
    expect(body('openai')).toMatchObject({ presence_penalty: 0.5 });
    expect(JSON.stringify([body('openai'), body('vllm'), body('sglang')])).not.toMatch(/mirostat|nonsense/);
    expect(Object.keys(body('openai'))).not.toContain('repetition_penalty');
  });
});

describe('an answer of a schema', () => {
  it('is asked for as each server takes it, and not at all unasked', () => {
    const shape = { type: 'object', properties: { sum: { type: 'number' } } };
    const bodies = (each: Call) =>
      [dialects.vllm, dialects['llama-server'], dialects.sglang].map((dialect) => dialect.encode(each, facts).body);
    expect(bodies({ ...call, shape })).toMatchObject([
      { response_format: { type: 'json_schema', json_schema: { schema: shape } } },
      { json_schema: shape },
      { sampling_params: { json_schema: JSON.stringify(shape) } },
    ]);
    expect(JSON.stringify(bodies(call))).not.toContain('json_schema');
  });
});

describe('vllm', () => {
  const { decode, encode } = dialects.vllm;
  const chunk = (finish: unknown, stop: unknown): unknown => ({
    choices: [{ index: 0, text: 'x', finish_reason: finish, stop_reason: stop, token_ids: [3] }],
  });

  it('tells a delimiter from each kind of end', () => {
    expect(decode(chunk('stop', '\n\n'), call)[0]?.end).toBe('delimiter');
    expect(decode(chunk('stop', null), call)[0]?.end).toBe('eos');
    expect(decode(chunk('stop', 151_643), call)[0]?.end).toBe('eos');
    expect(decode(chunk('stop', 'not ours'), call)[0]?.end).toBe('eos');
    expect(decode(chunk('length', null), call)[0]?.end).toBe('length');
    expect(() => decode(chunk('abort', null), call)).toThrow(/overloaded/);
    expect(() => decode({ error: { message: 'm', code: 500 } }, call)).toThrow(/internal.*m/);
  });

  it('sends neutral sampling and its own limits', () => {
    const { body } = encode(call, facts);
    expect(body).toMatchObject({ prompt: [1, 2], max_tokens: 20, top_k: 0, top_p: 1, min_p: 0, n: 1, seed: 7 });
    expect(body).toMatchObject({ include_stop_str_in_output: true, return_token_ids: true });
    expect(JSON.stringify(body)).not.toContain('"priority"');
  });
});

describe('sglang', () => {
  const { decode, encode } = dialects.sglang;
  const event = (finish: unknown, ids: number[], tokens: number): unknown => ({
    text: 'x',
    output_ids: ids,
    meta_info: { finish_reason: finish, completion_tokens: tokens, prompt_tokens: 9, cached_tokens: 4 },
  });

  it('reads the matched stop, and whether the stream repeats itself', () => {
    expect(decode(event({ type: 'stop', matched: '\n\n' }, [1], 1), call)[0]?.end).toBe('delimiter');
    expect(decode(event({ type: 'stop', matched: 2 }, [1], 1), call)[0]?.end).toBe('eos');
    expect(decode(event(null, [1, 2], 2), call)[0]?.cumulative).toBe(true);
    expect(decode(event(null, [2], 2), call)[0]?.cumulative).toBe(false);
    expect(() => decode(event({ type: 'stop', matched: 'NaN happened' }, [1], 1), call)).toThrow(/NaN/);
    expect(() => decode(event({ type: 'abort', message: 'full', status_code: 503 }, [1], 1), call)).toThrow(
      /overloaded/,
    );
  });

  it('puts the most specific stop first and names the call for its abort', () => {
    const { body } = encode(call, facts);
    expect(body).toMatchObject({
      rid: call.name,
      sampling_params: { stop: ['\n\n\n', '\n\n'], no_stop_trim: true, top_k: -1 },
    });
    expect(dialects.sglang.abort?.(call).body).toEqual({ rid: call.name, abort_all: false });
  });
});

describe('llama-server', () => {
  const { decode, encode } = dialects['llama-server'];

  it('puts the stop word back and reads the reuse, not the size of the slot', () => {
    const last = {
      index: 1,
      content: '',
      tokens: [],
      stop: true,
      stop_type: 'word',
      stopping_word: '\n\n',
      tokens_predicted: 4,
      tokens_evaluated: 10,
      tokens_cached: 14,
      timings: { cache_n: 6 },
    };
    expect(decode(last, call)).toMatchObject([
      {
        index: 1,
        end: 'delimiter',
        appended: '\n\n',
        usage: { promptTokens: 10, cachedTokens: 6, generatedTokens: 4 },
      },
    ]);
    expect(() => decode({ ...last, stop_type: 'none' }, call)).toThrow(/stop_type/);
  });

  it('never sends the seed that means "draw one"', () => {
    expect(encode({ ...call, seed: 0xffffffff }, facts).body.seed).toBe(0);
  });
});

describe('openai', () => {
  it('sends no delimiter, continues a trailing assistant message and takes every stop as the end', () => {
    const { decode, encode } = dialects.openai;
    const { body, path } = encode({ ...call, tokenIds: undefined, pathText: 'so far\n\n' }, facts);
    expect(path).toBe('/v1/chat/completions');
    expect(body).not.toHaveProperty('stop');
    expect(body.messages).toEqual([
      { role: 'user', content: 'q' },
      { role: 'assistant', content: 'so far\n\n' },
    ]);
    expect(decode({ choices: [{ delta: { content: 'x' }, finish_reason: 'stop' }] }, call)[0]).toMatchObject({
      text: 'x',
      end: 'eos',
    });
  });
});

describe('groupSiblings', () => {
  const request = (id: number, overrides: Partial<GenerateRequest> = {}): GenerateRequest => ({
    id,
    search: 's',
    prompt: call.prompt,
    parent: 0,
    path: [],
    index: id,
    sampling: { temperature: 1 },
    seed: id,
    delimiters: ['\n\n'],
    maxTokens: 9,
    lane: 'primary',
    priority: 0,
    ...overrides,
  });

  it('groups siblings up to the limit, and never greedy ones or strangers', () => {
    const requests = [1, 2, 3, 4, 5].map((id) => request(id));
    expect(groupSiblings(requests, 2).map((each) => each.length)).toEqual([2, 2, 1]);
    expect(groupSiblings(requests, 1).length).toBe(5);
    const greedy = requests.map((each) => ({ ...each, sampling: { temperature: 0 } }));
    expect(groupSiblings(greedy, 4).length).toBe(5);
    const strangers = [
      request(1),
      request(2, { search: 't' }),
      request(3, { parent: 4 }),
      request(4, { lane: 'speculative' }),
    ];
    expect(groupSiblings(strangers, 4).length).toBe(4);
  });
});
