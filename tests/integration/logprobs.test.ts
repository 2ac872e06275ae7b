// Log probabilities of the chosen path with the official OpenAI client, whole and streamed, in chat completions and in
// responses, from an engine that tells them; by name refused from one that does not.

import OpenAI, { BadRequestError } from 'openai';
import { expect, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { runGateway } from '../support/running-gateway.ts';
import { type Script, threeSteps } from '../support/scripted-engine.ts';

const chat: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: 'm',
  messages: [{ role: 'user', content: 'make 24 from 4 7 8 8' }],
  logprobs: true,
  seed: 1,
};

async function client(pieces: boolean, script: Script = threeSteps) {
  const { url, journal } = await runGateway({ scripted: { pieces, script } });
  return { openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0 }), journal };
}

function joined(tokens: readonly { readonly token: string }[] | null | undefined): string {
  return (tokens ?? []).map(({ token }) => token).join('');
}

test('a chat completion has those of its answer and of the steps before it', async () => {
  const { openai } = await client(true);
  const { choices } = await openai.chat.completions.create(chat);
  const { message, logprobs } = choices[0]!;
  expect(joined(logprobs?.content)).toBe(message.content);
  expect(joined((logprobs as Loose).reasoning_content)).toBe((message as Loose).reasoning_content);
  expect(logprobs?.content?.[0]).toEqual({
    token: 'The ',
    logprob: -0.1,
    bytes: [84, 104, 101, 32],
    top_logprobs: [],
  });
  const inline = await openai.chat.completions.create({ ...chat, coppice: { reasoning: 'inline' } } as typeof chat);
  expect(joined(inline.choices[0]?.logprobs?.content)).toBe(inline.choices[0]?.message.content);
});

test('they end where a stop string ends the answer, and each of several answers has its own', async () => {
  const script: Script = () => ({ text: 'The answer END of it', end: 'eos' });
  const { openai: stopping } = await client(true, script);
  const stopped = await stopping.chat.completions.create({ ...chat, stop: 'END' });
  expect(stopped.choices[0]?.message.content).toBe('The answer ');
  expect(joined(stopped.choices[0]?.logprobs?.content)).toBe('The answer ');
  const { openai } = await client(true);
  const { choices } = await openai.chat.completions.create({ ...chat, n: 2 });
  expect(choices.length).toBe(2);
  for (const { message, logprobs } of choices) expect(joined(logprobs?.content)).toBe(message.content);
});

test('in a stream they come with the end', async () => {
  const { openai } = await client(true);
  const said = await openai.chat.completions.stream({ ...chat, stream: true }).finalChatCompletion();
  expect(joined(said.choices[0]?.logprobs?.content)).toBe(said.choices[0]?.message.content);
});

test('a response has them where they are included, the same when it is read again', async () => {
  const { openai } = await client(true);
  const body = { model: 'm', input: 'make 24', include: ['message.output_text.logprobs'] } as const;
  const made = await openai.responses.create({ ...body, include: [...body.include] });
  const partOf = (response: OpenAI.Responses.Response) => (response.output.at(-1) as Loose).content[0];
  expect(joined(partOf(made).logprobs)).toBe(made.output_text);
  expect(partOf(await openai.responses.retrieve(made.id))).toEqual(partOf(made));
});

test('what cannot be told is refused by name', async () => {
  const { openai } = await client(false);
  const refused = async (made: Promise<unknown>) => {
    const error = await made.catch((each: unknown) => each);
    return error instanceof BadRequestError ? `${error.param}: ${error.message}` : error;
  };
  expect(await refused(openai.chat.completions.create(chat))).toMatch(/^logprobs: .*the engine of model 'm' tells no/);
  expect(
    await refused(openai.responses.create({ model: 'm', input: 'x', include: ['message.output_text.logprobs'] })),
  ).toMatch(/^include: .*'include' cannot be honoured/);
  expect(await refused(openai.chat.completions.create({ ...chat, top_logprobs: 2 }))).toMatch(/^top_logprobs: /);
});

test('unasked they are neither told nor written down', async () => {
  const { openai, journal } = await client(true);
  const { choices, id } = await openai.chat.completions.create({ ...chat, logprobs: false });
  expect(choices[0]?.logprobs).toBeNull();
  const log = await journal.read(id.replace('chatcmpl-', 'srch_'), -1, 1000);
  expect(JSON.stringify(log)).not.toContain('pieces');
});
