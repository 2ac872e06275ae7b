// A reasoning model behind each kind of server and each inbound API: its thinking is found by tags, by its template or by the server's field,
// bounded, and told in the fields of the client's API. A chain of 20,000 tokens is in thinking-long.slow.test.ts.

import { describe, expect, test } from 'vitest';
import { type ThinkingModel, thoughtAnswer } from '../servers/model.ts';
import { post } from '../support/running-gateway.ts';
import { askThinker, coppice, serveThinker, thinkerAsk, thinkingServers, wordsIn } from '../support/thinker.ts';
import { expectAnswered, expectStreamed } from '../support/thinker-checks.ts';

const words = 1500;
/** More than any limit below allows. */
const long = 20_000;

test.each(Object.keys(thinkingServers))(
  'thinking on %s is told apart from the answer, whole and streamed',
  async (name) => {
    const { url } = await serveThinker(name, { words });
    await expectAnswered(url, words);
    await expectStreamed(url, words);
  },
);

describe.each(['vllm', 'sglang', 'llama-server'])('the template of a model on %s', (name) => {
  const open = (thinking: ThinkingModel, model: object = {}) => serveThinker(name, thinking, model);

  test('may begin the thinking itself', async () => {
    const { url } = await open({ words: 300, opens: true });
    const { choices, coppice: told } = await askThinker(url);
    expect(choices[0].message.content).toBe(thoughtAnswer);
    expect(wordsIn(choices[0].message.reasoning)).toBe(300);
    expect(told.answer).toBe('42');
  });

  test('has a switch that the client, in either way, or the operator turns', async () => {
    const { url } = await open({ words: 300, switches: true });
    for (const off of [
      { chat_template_kwargs: { enable_thinking: false } },
      { coppice: { ...coppice, thinking: 'off' } },
    ]) {
      const { choices } = await askThinker(url, off);
      expect(choices[0].message.reasoning ?? '').not.toContain(' hm');
      expect(choices[0].message.content).toContain('42');
    }
    expect(wordsIn((await askThinker(url)).choices[0].message.reasoning)).toBe(300);
    const configured = await open({ words: 300, switches: true }, { thinking: 'off' });
    expect((await askThinker(configured.url)).choices[0].message.reasoning ?? '').not.toContain(' hm');
  });

  test('that has none is said in one line, and ignored where a client has it in its usual body', async () => {
    const { url } = await open({ words: 30 });
    const usual = { ...thinkerAsk, chat_template_kwargs: { enable_thinking: false } };
    const response = await post(`${url}/v1/chat/completions`, usual);
    expect([response.status, response.headers.get('x-coppice-ignored')]).toEqual([
      200,
      'chat_template_kwargs.enable_thinking',
    ]);
    const { error } = await askThinker(url, { coppice: { ...coppice, thinking: 'on' } });
    expect(error.message).toMatch(/'coppice.thinking' is 'on'; the chat template of model 'thinker' has no switch/);
    const bad = await askThinker(url, { chat_template_kwargs: { enable_thinking: 'yes' } });
    expect(bad.error.message).toMatch(/chat_template_kwargs.enable_thinking/);
    const none = await askThinker(url, { coppice: { ...coppice, max_thinking_tokens: 0 } });
    expect(none.error.message).toMatch(/max_thinking_tokens/);
  });

  test('a limit ends the thinking, and the answer is asked for', async () => {
    const { server, url } = await open({ words: long });
    const {
      choices,
      coppice: told,
      usage,
    } = await askThinker(url, { coppice: { ...coppice, max_thinking_tokens: 3000 } });
    expect(choices[0].message.content).toBe(thoughtAnswer);
    expect(wordsIn(choices[0].message.reasoning)).toBeLessThanOrEqual(3000);
    expect(choices[0].message.reasoning).toMatch(/The time for thinking is over/);
    expect(usage.completion_tokens).toBeLessThan(3100);
    const log = await (await fetch(`${url}/v1/searches/${told.search}/events`)).text();
    expect(log).toMatch(/"forced":\d+/);
    expect(server.tokensWritten).toBeLessThan(3200);
  });

  test('an effort bounds it, and so do the tokens of a path', async () => {
    const { url } = await open({ words: long });
    const small = await askThinker(url, { reasoning_effort: 'minimal' });
    expect(wordsIn(small.choices[0].message.reasoning)).toBeLessThanOrEqual(4096);
    expect(small.choices[0].message.content).toBe(thoughtAnswer);
    const short = await askThinker(url, { max_completion_tokens: 2000 });
    expect(short.choices[0].message.content).toBe(thoughtAnswer);
    expect(wordsIn(short.choices[0].message.reasoning)).toBeLessThanOrEqual(1000);
  });

  test('a chain is asked for its answer inside it, ends it once that is certain, and answers', async () => {
    const { server, url } = await open({ words: long });
    const { choices, coppice: told } = await askThinker(url, {
      coppice: { program: 'chain', chain: { probe_every: 100 } },
    });
    expect(choices[0].message.content).toBe(thoughtAnswer);
    expect(wordsIn(choices[0].message.reasoning)).toBeLessThan(500);
    expect(told).toMatchObject({ answer: '42', complete: true });
    const log = await (await fetch(`${url}/v1/searches/${told.search}/events`)).text();
    expect(log).toMatch(/"opening":"[^"]*<\/think>/);
    expect(server.tokensWritten).toBeLessThan(600);
  });
});
