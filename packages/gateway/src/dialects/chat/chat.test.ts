import { describe, expect, test } from 'vitest';
import type { Loose } from '../../../../../tests/support/loose.ts';
import { ask, question, runGateway } from '../../../../../tests/support/running-gateway.ts';
import {
  type Script,
  ScriptedEngine,
  ScriptedVerifier,
  threeSteps,
} from '../../../../../tests/support/scripted-engine.ts';
import type { Prompt } from '../../../../core/src/tree/step.ts';

describe('a chat completion', () => {
  test('is an answer by search, with exit, score, usage and the id of its search', async () => {
    const { url } = await runGateway();
    const answer = await ask(url, { seed: 1 });
    expect(answer).toMatchObject({
      status: 200,
      object: 'chat.completion',
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: expect.stringMatching(/^The answer is \d\.$/) },
        },
      ],
      coppice: { scoring: 'verifier', program: 'mcts', complete: true, exit: { kind: 'accepted', rule: 'positive' } },
    });
    expect(answer.choices[0].message.reasoning_content).toBe('step 1 way 0\n\nstep 2 way 0\n\n');
    const { usage, coppice } = answer;
    const { committed, discarded, speculative } = coppice.tokens;
    expect(usage.prompt_tokens).toBe(7);
    expect(usage.prompt_tokens_details.cached_tokens).toBe(0);
    expect(usage.completion_tokens).toBe(committed + discarded + speculative);
    expect(usage.completion_tokens_details.reasoning_tokens).toBe(usage.completion_tokens - coppice.tokens.answer);
    expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens);
    const search = await fetch(`${url}/v1/searches/${coppice.search}`);
    expect(await search.json()).toMatchObject({
      state: 'done',
      result: { content: answer.choices[0].message.content, coppice },
    });
  });

  test('the same seed gives the same answer, another may give another', async () => {
    const { url } = await runGateway();
    const texts = await Promise.all(
      [5, 5, 6, 7, 8, 9].map(async (seed) => (await ask(url, { seed })).choices[0].message.content),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(new Set(texts).size).toBeGreaterThan(1);
  });

  test('paths vote on the answer if the request says so, and the reply has the support', async () => {
    // The third sample scores highest; the others agree.
    const script: Script = ({ index }) => ({ text: `The answer is ${index === 2 ? 7 : 5}.`, end: 'eos' });
    const verifier = new ScriptedVerifier(({ index }) => (index === 2 ? 0.8 : 0.6));
    const { url } = await runGateway({ scripted: { script }, verifier });
    const wish = { program: 'best-of-n', policy: 'vanilla', rollouts: 4, threshold: 0.95 };
    const best = await ask(url, { coppice: wish });
    expect(best.coppice).toMatchObject({ answer: '7', score: 0.8, support: null });
    const voted = await ask(url, { coppice: { ...wish, choose: 'vote' } });
    expect(voted.coppice).toMatchObject({ answer: '5', score: 0.6 });
    expect(voted.coppice.support).toBeCloseTo(1.8 / 2.6);
    const refused = await ask(url, { coppice: { choose: 'loudest' } });
    expect(refused).toMatchObject({ status: 400, error: { param: 'coppice.choose' } });
    const tested = await ask(url, { coppice: { tests: 'assert True' } });
    expect(tested).toMatchObject({ status: 400, error: { param: 'coppice.tests' } });
    const direct = await ask(url, { reasoning_effort: 'none', coppice: { choose: 'vote' } });
    expect(direct).toMatchObject({ status: 400, error: { param: 'coppice.choose' } });
  });

  test('a path that was accepted is the answer, whatever a vote would say', async () => {
    const script: Script = ({ index }) => ({ text: `The answer is ${index === 2 ? 7 : 5}.`, end: 'eos' });
    const verifier = new ScriptedVerifier(({ index }) => (index === 2 ? 0.8 : 0.6));
    const { url } = await runGateway({ scripted: { script }, verifier });
    const wish = { program: 'best-of-n', policy: 'positive', rollouts: 4, threshold: 0.75, choose: 'vote' };
    const { coppice } = await ask(url, { coppice: wish });
    expect(coppice).toMatchObject({ answer: '7', score: 0.8, support: null, exit: { kind: 'accepted' } });
  });

  test('several turns reach the engine as they are, developer as system', async () => {
    const { url, engine } = await runGateway();
    const messages = [
      { role: 'developer', content: 'be brief' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      { role: 'assistant', content: 'c' },
      { role: 'user', content: 'd' },
    ];
    expect((await ask(url, { messages })).status).toBe(200);
    expect(engine.asked[0]?.prompt).toEqual({
      kind: 'chat',
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'ab' },
        { role: 'assistant', content: 'c' },
        { role: 'user', content: 'd' },
      ],
    });
  });

  test('sampling fields are honoured', async () => {
    const { url, engine } = await runGateway();
    await ask(url, { temperature: 0.3, top_p: 0.5, top_k: 7, min_p: 0.1 });
    expect(
      engine.asked.every(
        ({ sampling }) =>
          JSON.stringify(sampling) === JSON.stringify({ temperature: 0.3, topP: 0.5, topK: 7, minP: 0.1 }),
      ),
    ).toBe(true);
  });

  test('without a verifier it is self-consistency, and says so', async () => {
    const { url } = await runGateway({ verifier: 'none', model: { verifier: { kind: 'none' } } });
    expect(await ask(url, {})).toMatchObject({
      status: 200,
      coppice: { scoring: 'self-consistency', program: 'self-consistency' },
    });
    expect(await ask(url, { coppice: { program: 'mcts' } })).toMatchObject({
      status: 400,
      error: { param: 'coppice.program', code: 'unsupported_parameter' },
    });
  });

  test('reasoning inline gives the whole path as content', async () => {
    const { url } = await runGateway();
    const answer = await ask(url, { coppice: { reasoning: 'inline' } });
    expect(answer.choices[0].message.content).toMatch(/^step 1 way 0\n\nstep 2 way 0\n\nThe answer is \d\.$/);
    expect(answer.choices[0].message).not.toHaveProperty('reasoning_content');
  });

  test('effort none is one generation without search, cut by a stop string', async () => {
    const script = () => ({ text: 'plain words END', end: 'delimiter' }) as const;
    const { url, engine } = await runGateway({ scripted: { script } });
    const answer = await ask(url, { reasoning_effort: 'none', stop: 'END', max_tokens: 50 });
    expect(answer).toMatchObject({
      choices: [{ message: { content: 'plain words ' }, finish_reason: 'stop' }],
      coppice: { passed_through: true },
    });
    expect(engine.asked).toHaveLength(1);
    expect(engine.asked[0]).toMatchObject({ delimiters: ['END'], maxTokens: 50 });
  });

  test('a token limit cuts at the end of a step, and finish_reason is length', async () => {
    const { url } = await runGateway();
    const answer = await ask(url, { max_completion_tokens: 8 });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'step 2 way 0\n\n' } });
    expect(answer.coppice).toMatchObject({ complete: false, tokens: { path: 8 } });
  });

  test("a model's own form of the question is used, and a question of another kind refused", async () => {
    const form = (prompt: Prompt) => {
      const text = prompt.kind === 'chat' ? (prompt.messages.at(-1)?.content ?? '') : '';
      if (!text.startsWith('make')) return { reason: 'this model makes numbers from numbers' };
      return { kind: 'text', text } as const;
    };
    const model = { delimiters: ['\n'], stepTokens: 9, maxDepth: 3, sampling: { temperature: 0.25 } };
    const { url, engine } = await runGateway({ form, model });
    expect((await ask(url, {})).status).toBe(200);
    expect(engine.asked[0]).toMatchObject({
      prompt: { kind: 'text' },
      delimiters: ['\n'],
      maxTokens: 9,
      sampling: { temperature: 0.25 },
    });
    const refused = await ask(url, { messages: [{ role: 'user', content: 'hello' }] });
    expect(refused).toMatchObject({
      status: 400,
      error: { param: 'messages', message: expect.stringContaining('numbers') },
    });
  });

  test("the operator's advice on steps joins the system message of searches only", async () => {
    const { url, engine } = await runGateway({ model: { stepPrompt: 'In steps.' } });
    const system = { role: 'system', content: 'Be kind.' };
    await ask(url, { messages: [system, ...question.messages] });
    expect(engine.asked[0]?.prompt).toMatchObject({
      messages: [{ content: 'Be kind.\n\nIn steps.' }, { role: 'user' }],
    });
    const asked = engine.asked.length;
    await ask(url, { reasoning_effort: 'none' });
    expect(engine.asked[asked]?.prompt).toMatchObject({ messages: question.messages });
  });

  test('a prompt that does not fit is the fault of the request', async () => {
    const { url } = await runGateway({ scripted: { script: () => 'too-long' } });
    expect(await ask(url, {})).toMatchObject({
      status: 400,
      error: { code: 'context_length_exceeded', param: 'messages' },
    });
  });

  test('an engine that only fails is 502, and the search tells why', async () => {
    const { url } = await runGateway({ scripted: { script: () => 'fault' } });
    expect(await ask(url, {})).toMatchObject({ status: 502, error: { type: 'server_error', code: 'engine_failed' } });
  });

  test('a search that fails after it had an answer is 502 too; the answer stays with the search', async () => {
    let answered = false;
    const { url, journal } = await runGateway({
      scripted: {
        script: (request) => {
          if (answered) return 'fault';
          answered = request.path.length === 2;
          return threeSteps(request);
        },
      },
    });
    const answer = await ask(url, { coppice: { threshold: 0.99, policy: 'vanilla' } });
    expect(answer).toMatchObject({ status: 502, error: { code: 'engine_failed' } });
    const [{ id } = { id: '' }] = await journal.list({ limit: 1 });
    const search = (await (await fetch(`${url}/v1/searches/${id}`)).json()) as Loose;
    expect(search).toMatchObject({
      state: 'failed',
      exit: { kind: 'failed' },
      error: { code: 'engine_failed' },
      result: { content: expect.stringMatching(/^The answer is/), complete: true },
    });
  });

  test('a deadline gives the best answer so far', async () => {
    const held = new ScriptedEngine({
      script: (request) => {
        held.hold();
        return threeSteps(request);
      },
    });
    const { url } = await runGateway({ engine: held });
    const answer = await ask(url, { coppice: { deadline_ms: 300 } });
    expect(answer).toMatchObject({
      status: 200,
      choices: [{ finish_reason: 'length', message: { content: expect.stringContaining('step 1') } }],
      coppice: { exit: { kind: 'deadline' }, complete: false },
    });
    expect(held.open).toBe(0);
  });

  test('a deadline that passes before the first token is 504, not an empty answer', async () => {
    const { url, engine } = await runGateway({ scripted: { held: true } });
    const answer = await ask(url, { coppice: { deadline_ms: 30 } });
    expect(answer).toMatchObject({ status: 504, error: { code: 'deadline_passed', type: 'server_error' } });
    expect(engine.open).toBe(0);
  });
});
