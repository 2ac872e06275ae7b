// What evaluation and load tools send: stop strings with line breaks and temperature 0. Neither may be refused, lose the answer or make
// one path of a tree.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { GenerateRequest } from '../../packages/core/src/engine/engine.ts';
import { suites } from '../clients/outside-suites.ts';
import type { Loose } from '../support/loose.ts';
import { ask, post, question, runGateway, serverEvents } from '../support/running-gateway.ts';
import { type Script, ScriptedEngine, ScriptedVerifier } from '../support/scripted-engine.ts';

/** The text as an engine would give it: up to and with the first of the delimiters. */
function upTo(text: string, { delimiters }: GenerateRequest): string {
  const ends = delimiters.flatMap((each) => (text.includes(each) ? [text.indexOf(each) + each.length] : []));
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}

/** Writes one text on, step by step. */
function writer(text: string): Script {
  return (request) => {
    const said = request.path.reduce((sum, { step }) => sum + step.text.length, 0);
    const rest = text.slice(said);
    const step = upTo(rest, request);
    return step.length < rest.length ? { text: step, end: 'delimiter' } : { text: rest, end: 'eos' };
  };
}

const steps = 'First we add.\n\nThen we check.\n\n';
const text = `${steps}The answer is 24.\nQuestion: what is next?`;

/** A search's reply to the two APIs that have stop strings, whole and put together from its stream. */
async function repliesTo(url: string, stop: readonly string[], more: object) {
  const messages = [{ role: 'user', content: 'question' }];
  const bodies: [string, object][] = [
    ['/v1/chat/completions', { messages, stop, ...more }],
    ['/v1/messages', { messages, stop_sequences: stop, max_tokens: 1000, ...more }],
  ];
  return Promise.all(
    bodies.map(async ([path, body]) => {
      const whole = (await (await post(url + path, { model: 'm', ...body })).json()) as Loose;
      const response = await post(url + path, { model: 'm', ...body, stream: true });
      const events: Loose[] = [];
      for await (const { data = '' } of serverEvents(response)) if (data.startsWith('{')) events.push(JSON.parse(data));
      const deltas = events.map((each) => each.choices?.[0]?.delta?.content ?? each.delta?.text ?? '');
      const said = whole.choices?.[0].message.content ?? whole.content.at(-1)?.text ?? '';
      return { said, streamed: deltas.join(''), coppice: whole.coppice as Loose };
    }),
  );
}

test('the suites of others find what they are given', () => {
  const all = Object.values(suites).flatMap(({ options }) => options('http://127.0.0.1:1'));
  const tasks = all[all.indexOf('--include_path') + 1]!;
  const { dataset_kwargs: data } = JSON.parse(readFileSync(join(tasks, 'coppice_words.yaml'), 'utf8')) as Loose;
  expect(existsSync(data.data_files.test)).toBe(true);
});

describe('a stop string', () => {
  const cases: [readonly string[], string][] = [
    [['\n'], 'The answer is 24.'],
    [['Question:', '</s>'], 'The answer is 24.\n'],
    [['24.\nQuest'], 'The answer is '],
    [['\n\n', 'First'], 'The answer is 24.\nQuestion: what is next?'],
    [['is 24', '24.'], 'The answer '],
  ];

  test.each(cases)('%j ends the text that is told, and neither a step nor a path', async (stop, content) => {
    const { url, engine } = await runGateway({ scripted: { script: writer(text) } });
    for (const { said, streamed, coppice } of await repliesTo(url, stop, {})) {
      expect([said, streamed]).toEqual([content, content]);
      expect(coppice).toMatchObject({ verdict: 'accepted', complete: true, answer: '24' });
      expect(coppice.verdict_text.includes('before the answer')).toBe(!content.includes('24'));
    }
    expect(engine.asked.every(({ delimiters }) => delimiters.join() === '\n\n')).toBe(true);
  });

  test('ends the one text where reasoning stands in it', async () => {
    const { url } = await runGateway({ scripted: { script: writer(text) } });
    const [chat] = await repliesTo(url, ['check'], { coppice: { reasoning: 'inline' } });
    expect([chat!.said, chat!.streamed]).toEqual(['First we add.\n\nThen we ', 'First we add.\n\nThen we ']);
    expect(chat!.coppice).toMatchObject({ answer: '24', verdict_text: expect.stringMatching(/before the answer$/) });
  });

  test("is the engine's without search, and nothing is accepted", async () => {
    const { url, engine } = await runGateway({ scripted: { script: writer(text) } });
    const response = await ask(url, { stop: 'Then', reasoning_effort: 'none' });
    expect(response.choices[0]).toMatchObject({ message: { content: 'First we add.\n\n' }, finish_reason: 'stop' });
    expect(response.coppice.verdict).toBe('unsure');
    expect(engine.asked[0]?.delimiters).toEqual(['Then']);
  });

  test.each(['none', 'low'])('may be one of more than engines take, with effort %s', async (effort) => {
    const { url, engine } = await runGateway({ scripted: { script: writer(text) } });
    const stop = ['a1', 'a2', 'a3', 'a4', 'a5', effort === 'none' ? 'Then' : '24'];
    const { choices } = await ask(url, { stop, reasoning_effort: effort });
    expect(choices[0].finish_reason).toBe('stop');
    expect(choices[0].message.content).toBe(effort === 'none' ? 'First we add.\n\n' : 'The answer is ');
    expect(engine.asked.every(({ delimiters }) => delimiters.length <= 4)).toBe(true);
    const { error } = await ask(url, { stop: Array.from({ length: 17 }, (_, at) => `s${at}`) });
    expect(error).toMatchObject({ param: 'stop', message: "'stop' has 17 items; at most 16 are allowed" });
  });

  test('a finished path that says no number is not accepted where one is asked for', async () => {
    const script: Script = ({ index }) => ({ text: index === 0 ? 'It is hard to say.' : 'It is 24.', end: 'eos' });
    const verifier = new ScriptedVerifier(({ step }) => (step.text.includes('24') ? 0.8 : 0.9));
    const { url } = await runGateway({ scripted: { script }, verifier });
    const wish = { messages: [{ role: 'user', content: 'How many are 20 and 4?' }], coppice: { program: 'best-of-n' } };
    const [one, two] = [1, 2].map((rollouts) => ({ ...wish, coppice: { ...wish.coppice, rollouts } }));
    expect((await ask(url, one!)).coppice).toMatchObject({ verdict: 'none', complete: true, answer: null });
    const both = await ask(url, two!);
    expect(both.choices[0].message.content).toBe('It is 24.');
    expect(both.coppice).toMatchObject({ verdict: 'accepted', answer: '24', score: 0.8 });
    const open = { ...one, messages: [{ role: 'user', content: 'Write a poem.' }] };
    expect((await ask(url, open)).coppice).toMatchObject({ verdict: 'accepted', answer: null });
  });
});

test.each(['greedy', 'best-of-n', 'mcts'])(
  'the last step of %s is told from its beginning where a limit cut it',
  async (program) => {
    const engine = new ScriptedEngine({ script: writer('First we add.\n\nSo the answer is 24.'), pieces: true });
    const { url } = await runGateway({ engine, model: { stepTokens: 2 }, verifier: new ScriptedVerifier(() => 0.9) });
    for (const { said, streamed, coppice } of await repliesTo(url, ['never'], { coppice: { program } })) {
      expect([said, streamed]).toEqual(['So the answer is 24.', 'So the answer is 24.']);
      expect(coppice).toMatchObject({ answer: '24', tokens: { answer: 5, path: 8 } });
    }
    const { choices } = await ask(url, { logprobs: true, coppice: { program } });
    expect(choices[0].message).toMatchObject({ reasoning: 'First we add.\n\n' });
    const told = choices[0].logprobs.content.map(({ token }: Loose) => token).join('');
    expect(told).toBe('So the answer is 24.');
    const response = await post(`${url}/v1/responses`, { model: 'm', input: 'question', coppice: { program } });
    const { output } = (await response.json()) as Loose;
    expect(output.at(-1).content[0].text).toBe('So the answer is 24.');
  },
);

test('each of n choices has its own verdict, whole and streamed, and the search keeps them', async () => {
  const verifier = new ScriptedVerifier(({ step }) => (step.text.includes('answer is 1') ? 0.2 : 1));
  const { url } = await runGateway({ verifier });
  const wish = { n: 3, seed: 7, coppice: { program: 'best-of-n', policy: 'vanilla', rollouts: 12 } };
  const { choices, coppice } = await ask(url, wish);
  expect(coppice.choices.map(({ index }: Loose) => index)).toEqual(choices.map(({ index }: Loose) => index));
  expect(choices).toHaveLength(3);
  for (const [at, { message }] of choices.entries()) {
    const isBad = message.content.includes('answer is 1');
    expect(coppice.choices[at]).toMatchObject(
      isBad ? { verdict: 'unsure', score: 0.2 } : { verdict: 'accepted', score: 1 },
    );
  }
  expect(coppice.choices.map(({ verdict }: Loose) => verdict)).toContain('unsure');
  const response = await post(`${url}/v1/chat/completions`, { ...question, ...wish, stream: true });
  let last: Loose = {};
  for await (const { data = '' } of serverEvents(response)) if (data.includes('"coppice"')) last = JSON.parse(data);
  const plain = ({ index, verdict, score }: Loose) => ({ index, verdict, score });
  expect(last.coppice.choices.map(plain)).toEqual(coppice.choices.map(plain));
  const kept = (await (await fetch(`${url}/v1/searches/${coppice.search}`)).json()) as Loose;
  expect(kept.result.coppice.choices).toEqual(coppice.choices);
});

describe('temperature 0', () => {
  /** Whether the draw is the first of the first path. */
  const isFirst = ({ index, path }: GenerateRequest) =>
    index === 0 && path.every(({ step }) => !step.text.includes('way 1'));
  const script: Script = ({ path, index, sampling, seed }) => {
    const way = sampling.temperature === 0 ? 0 : index + (seed % 2);
    if (path.length < 2) return { text: `step ${path.length + 1} way ${way}\n\n`, end: 'delimiter' };
    return { text: `The answer is ${sampling.temperature === 0 ? 'greedy' : way}.`, end: 'eos' };
  };

  test.each(['mcts', 'beam', 'best-of-n', 'self-consistency'])(
    'draws the first path of %s greedily and the others at the usual temperature',
    async (program) => {
      const engine = new ScriptedEngine({ script });
      const { url } = await runGateway({ engine, model: { sampling: { temperature: 0.6 } } });
      const wish = { temperature: 0, coppice: { program, policy: 'vanilla', rollouts: 4 } };
      const first = await ask(url, wish);
      expect(first.status).toBe(200);
      const cold = engine.asked.filter(({ sampling }) => sampling.temperature === 0);
      expect(cold.length).toBeGreaterThanOrEqual(3);
      expect(cold.every(isFirst)).toBe(true);
      const others = engine.asked.filter((request) => !cold.includes(request));
      expect(new Set(others.map(({ sampling }) => sampling.temperature))).toEqual(new Set([0.6]));
      expect(first.coppice.nodes).toBeGreaterThan(cold.length + 1);
      const again = await ask(url, wish);
      expect(again.choices).toEqual(first.choices);
      expect(again.coppice.nodes).toBe(first.coppice.nodes);
    },
  );

  test('is the answer of the model alone under greedy', async () => {
    const engine = new ScriptedEngine({ script });
    const { url } = await runGateway({ engine });
    const { choices } = await ask(url, { temperature: 0, coppice: { program: 'greedy' } });
    expect(choices[0].message.content).toBe('The answer is greedy.');
    expect(engine.asked.every(({ sampling }) => sampling.temperature === 0)).toBe(true);
  });

  test('a response says the temperature that was asked for', async () => {
    const { url } = await runGateway();
    const response = await post(`${url}/v1/responses`, { model: 'm', input: 'x', temperature: 0 });
    expect(((await response.json()) as Loose).temperature).toBe(0);
  });
});
