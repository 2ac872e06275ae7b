// Requests that set nothing, on models whose operator set nothing.

import { expect, test } from 'vitest';
import { ask, post, runGateway, serverEvents } from '../../../../../tests/support/running-gateway.ts';
import { ScriptedVerifier } from '../../../../../tests/support/scripted-engine.ts';

const unset = { program: 'auto', verifier: { kind: 'none' } };
const poem = { messages: [{ role: 'user', content: 'Write a poem about 3 stars.' }] };
const sum = { messages: [{ role: 'user', content: 'What is 17 * 23?' }] };
let drawn = 0;
const verses = () => {
  drawn += 1;
  return { text: `star ${drawn}\n\nand two more\n\nshine`, end: 'eos' } as const;
};

test("a text that can be neither compared nor judged is one generation, at the client's temperature", async () => {
  const { url, engine } = await runGateway({ model: unset, verifier: 'none', scripted: { script: verses } });
  const answer = await ask(url, { ...poem, temperature: 0.3 });
  expect(answer.choices).toHaveLength(1);
  expect(answer.choices[0]).toMatchObject({
    message: { content: expect.stringMatching(/^star \d+\n\nand two more\n\nshine$/) },
    finish_reason: 'stop',
  });
  expect(answer.choices[0].message).not.toHaveProperty('reasoning_content');
  expect(answer.coppice).toMatchObject({ verdict: 'unsure', program: 'self-consistency', rollouts: 1 });
  expect(engine.asked).toHaveLength(1);
  expect(engine.asked[0]).toMatchObject({ sampling: { temperature: 0.3 }, delimiters: [] });
});

test('such a text is streamed while it is written', async () => {
  const { url } = await runGateway({ model: unset, verifier: 'none', scripted: { script: verses } });
  const response = await post(`${url}/v1/chat/completions`, { model: 'm', ...poem, stream: true });
  const deltas: string[] = [];
  for await (const { data = '[DONE]' } of serverEvents(response)) {
    const delta = data === '[DONE]' ? undefined : JSON.parse(data).choices[0]?.delta;
    if (delta?.content) deltas.push(delta.content);
    expect(delta ?? {}).not.toHaveProperty('reasoning_content');
  }
  expect(deltas.join('')).toMatch(/^star \d+\n\nand two more\n\nshine$/);
  expect(deltas.length).toBeGreaterThan(3);
});

test('n such texts are n whole generations', async () => {
  const { url, engine } = await runGateway({ model: unset, verifier: 'none', scripted: { script: verses } });
  const { choices } = await ask(url, { ...poem, n: 3 });
  const texts = choices.map(({ message }: { message: { content: string } }) => message.content);
  expect(new Set(texts).size).toBe(3);
  for (const text of texts) expect(text).toMatch(/^star \d+\n\nand two more\n\nshine$/);
  expect(engine.asked).toHaveLength(3);
});

test('short answers vote, and sampling stops once enough agree', async () => {
  const script = () => ({ text: `${'because '.repeat(100)}the answer is 391.`, end: 'eos' }) as const;
  const { url, engine } = await runGateway({ model: unset, verifier: 'none', scripted: { script } });
  const answer = await ask(url, sum);
  expect(answer.coppice).toMatchObject({ program: 'auto', answer: '391', exit: { rule: 'worth' } });
  expect(engine.asked.length).toBeLessThan(8);
});

test('with a judge a few texts are drawn, and the best of them is the answer', async () => {
  const model = { ...unset, verifier: { kind: 'judge', urls: ['http://127.0.0.1:1'] } };
  const verifier = new ScriptedVerifier();
  const { url, engine } = await runGateway({ model, verifier, scripted: { script: verses } });
  expect((await ask(url, poem)).coppice).toMatchObject({ program: 'best-of-n', scoring: 'verifier' });
  expect(engine.asked.length).toBeLessThanOrEqual(4);
});
