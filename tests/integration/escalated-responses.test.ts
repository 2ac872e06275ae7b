// Responses whose search found no accepted answer and was handed on to another model: one response under one name, whole, as a stream,
// stored or not, in the background, read again, resumed, gone on from, cancelled and deleted, and across restarts.

import { describe, expect, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { outlivingJournal, post, type RunningOptions, runGateway, serverEvents } from '../support/running-gateway.ts';
import { ScriptedEngine, ScriptedVerifier } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';

const asked = {
  model: 'm',
  instructions: 'Be brief.',
  input: 'make 24 from 4 7 8 8',
  coppice: { on_unaccepted: 'escalate', rollouts: 2 },
};

/** A model that doubts all it says, and one behind it that does not. */
async function pair({ held, ...options }: RunningOptions & { readonly held?: 'small' | 'big' } = {}) {
  const engine = new ScriptedEngine({ held: held === 'small' });
  const big = new ScriptedEngine({
    held: held === 'big',
    script: () => ({ text: 'The answer is from big.', end: 'eos' }),
  });
  const verifier = new ScriptedVerifier(() => 0.5);
  const more = [{ model: { name: 'big' }, engine: big, verifier: new ScriptedVerifier() }];
  const running = await runGateway({ engine, verifier, model: { escalateTo: 'big' }, more, ...options });
  return { ...running, big };
}

async function json(response: Response): Promise<Loose> {
  return (await response.json()) as Loose;
}

const read = async (url: string, id: string) => json(await fetch(`${url}/v1/responses/${id}`));

async function streamed(response: Response): Promise<Loose[]> {
  const events: Loose[] = [];
  for await (const { data = '' } of serverEvents(response)) if (data !== '') events.push(JSON.parse(data));
  return events;
}

const resumed = async (url: string, id: string, after: number) =>
  streamed(await fetch(`${url}/v1/responses/${id}?stream=true&starting_after=${after}`));

function textOf({ output }: Loose): string {
  return output.find(({ type }: Loose) => type === 'message').content[0].text;
}

test.each([true, false])('is answered by the model that took over, under its own name (store %s)', async (store) => {
  const { url, journal } = await pair();
  const response = await post(`${url}/v1/responses`, { ...asked, store });
  const made = await json(response);
  const [last, first] = await journal.list({ limit: 9 });
  expect([response.status, response.headers.get('x-coppice-verdict')]).toEqual([200, 'accepted']);
  expect(made).toMatchObject({
    id: first!.id.replace('srch_', 'resp_'),
    status: 'completed',
    model: 'big',
    coppice: { search: last!.id, escalated_from: 'm', verdict: 'accepted' },
  });
  expect(textOf(made)).toBe('The answer is from big.');
  expect(made.output[0].summary[0].text).toContain('Model big takes over from m.\n');
  if (store) expect(await read(url, made.id)).toEqual(made);
});

test.each([true, false])('its stream is numbered in a row and says one answer (store %s)', async (store) => {
  const { url } = await pair();
  const events = await streamed(await post(`${url}/v1/responses`, { ...asked, store, stream: true }));
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
  const deltas = events.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
  expect(deltas.join('')).toBe('The answer is from big.');
  const { type, response } = events.at(-1)!;
  expect([type, response.model, textOf(response)]).toEqual(['response.completed', 'big', 'The answer is from big.']);
  if (!store) return;
  for (const after of [-1, 2, events.length - 2])
    expect(await resumed(url, response.id, after)).toEqual(events.slice(after + 1));
});

test('a conversation goes on from the answer that was given', async () => {
  const { url, engine } = await pair();
  const { id } = await json(await post(`${url}/v1/responses`, asked));
  await post(`${url}/v1/responses`, { model: 'm', input: 'why?', previous_response_id: id });
  const prompt = engine.asked.at(-1)?.prompt;
  expect(prompt?.kind === 'chat' && prompt.messages.slice(-2)).toEqual([
    { role: 'assistant', content: 'The answer is from big.' },
    { role: 'user', content: 'why?' },
  ]);
});

test('the model may say it where the request does not', async () => {
  const { url } = await pair({ model: { escalateTo: 'big', onUnaccepted: 'escalate' } });
  const { coppice: _, ...plain } = asked;
  expect(await json(await post(`${url}/v1/responses`, plain))).toMatchObject({ model: 'big' });
});

test('a search that cannot be handed on is told as it ended', async () => {
  const { url, engine, gateway } = await pair({ held: 'small' });
  const response = post(`${url}/v1/responses`, { ...asked, stream: true });
  await until(() => engine.open > 0);
  gateway.searches.models.delete('big');
  engine.release();
  const events = await streamed(await response);
  const { type, response: made } = events.at(-1)!;
  expect([type, made.model, made.coppice.verdict]).toEqual(['response.completed', 'm', 'unsure']);
  expect(textOf(made)).toContain('The answer is');
  expect(await read(url, made.id)).toEqual(made);
  expect(await resumed(url, made.id, 1)).toEqual(events.slice(2));
});

describe('in the background', () => {
  const background = { ...asked, background: true };

  test('is in progress while the other model works, and one name has it all', async () => {
    const { url, big, journal } = await pair({ held: 'big' });
    const { id } = await json(await post(`${url}/v1/responses`, background));
    await until(() => big.open > 0);
    await until(async () => (await journal.list({ limit: 9 })).some(({ endedMs }) => endedMs !== undefined));
    expect(await read(url, id)).toMatchObject({ id, status: 'in_progress', usage: null });
    const [last] = await journal.list({ limit: 9 });
    expect((await fetch(`${url}/v1/responses/${last!.id.replace('srch_', 'resp_')}`)).status).toBe(404);
    big.release();
    expect((await resumed(url, id, -1)).at(-1)).toMatchObject({
      type: 'response.completed',
      response: { model: 'big' },
    });
  });

  test('is cancelled and deleted with the search that took over', async () => {
    const { url, big, journal } = await pair({ held: 'big' });
    const { id } = await json(await post(`${url}/v1/responses`, background));
    await until(() => big.open > 0);
    const cancelled = await json(await post(`${url}/v1/responses/${id}/cancel`, {}));
    expect(cancelled).toMatchObject({ id, status: 'cancelled' });
    big.release();
    expect(await json(await fetch(`${url}/v1/responses/${id}`, { method: 'DELETE' }))).toMatchObject({ deleted: true });
    expect(await journal.list({ limit: 9 })).toEqual([]);
  });

  test.each(['small', 'big'] as const)('survives a restart while the %s model works', async (held) => {
    const journal = outlivingJournal();
    const before = await pair({ journal, held });
    const { id } = await json(await post(`${before.url}/v1/responses`, background));
    await until(() => (held === 'small' ? before.engine : before.big).open > 0);
    await before.close();
    const after = await pair({ journal });
    const events = await resumed(after.url, id, -1);
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id, model: 'big' } });
    expect(await read(after.url, id)).toEqual(events.at(-1)!.response);
    const [prompt] = after.big.asked.map((request) => request.prompt);
    expect(prompt?.kind === 'chat' && prompt.messages.at(-1)).toEqual({ role: 'user', content: asked.input });
  });
});
