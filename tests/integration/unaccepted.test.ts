// What a client that reads no field of ours is told of an unsure answer: status, finish reason, refusal, error and one
// header, in every dialect, whole and streamed. Policy `safe` never gives up, so nothing here ends as futile.

import { describe, expect, test } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { ask, post, type RunningOptions, runGateway, serverEvents } from '../support/running-gateway.ts';
import { ScriptedEngine, ScriptedVerifier } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';

const doubted = (more: RunningOptions = {}): RunningOptions => ({ verifier: new ScriptedVerifier(() => 0.5), ...more });
const asked = 'make 24 from 4 7 8 8';
const messages = [{ role: 'user', content: asked }];
const bodies = {
  '/v1/chat/completions': { model: 'm', messages },
  '/v1/responses': { model: 'm', input: asked },
  '/v1/messages': { model: 'm', messages, max_tokens: 1000 },
} as const;
type Path = keyof typeof bodies;
const paths = Object.keys(bodies) as Path[];

async function told(url: string, path: Path, choice: string, more: object = {}) {
  const coppice = { on_unaccepted: choice, rollouts: 2 };
  const response = await post(`${url}${path}`, { ...bodies[path], coppice, ...more });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Loose };
}

/** What a stock client reads of an answer: why it ended, its text and its refusal. */
const read: Readonly<Record<Path, (body: Loose) => readonly unknown[]>> = {
  '/v1/chat/completions': ({ choices: [{ finish_reason, message }] }) => [
    finish_reason,
    message.content,
    message.refusal,
  ],
  '/v1/responses': ({ status, output }) => {
    const [part] = output.at(-1).content;
    return [status, part.text ?? null, part.refusal ?? null];
  },
  '/v1/messages': ({ stop_reason, content }) => {
    const { text } = content.at(-1);
    return stop_reason === 'refusal' ? [stop_reason, null, text] : [stop_reason, text, null];
  },
};
const ends: Readonly<Record<Path, { readonly best: string; readonly refused: string }>> = {
  '/v1/chat/completions': { best: 'stop', refused: 'stop' },
  '/v1/responses': { best: 'completed', refused: 'completed' },
  '/v1/messages': { best: 'end_turn', refused: 'refusal' },
};
const reason = 'No answer is sure enough after 2 rollouts (unsure: score 0.125 is below the threshold 0.7';

describe.each(paths)('an unsure answer, at %s', (path) => {
  test('best: is given, and the header says what to think of it', async () => {
    const { url } = await runGateway(doubted());
    const { status, headers, body } = await told(url, path, 'best');
    expect([status, headers.get('x-coppice-verdict')]).toEqual([200, 'unsure']);
    expect(read[path](body)).toEqual([ends[path].best, expect.stringContaining('The answer is'), null]);
    expect(headers.get('x-coppice-search')).toBe(body.coppice.search);
  });

  test('refuse: is kept back, and a refusal stands in its place', async () => {
    const { url } = await runGateway(doubted());
    const { status, headers, body } = await told(url, path, 'refuse');
    expect([status, headers.get('x-coppice-verdict')]).toEqual([200, 'unsure']);
    expect(read[path](body)).toEqual([ends[path].refused, null, expect.stringContaining(reason)]);
    expect(JSON.stringify(body)).not.toContain('The answer is');
  });

  test('error: is an error that no client tries again, and the search keeps the attempt', async () => {
    const { url } = await runGateway(doubted());
    const { status, headers, body } = await told(url, path, 'error');
    expect([status, headers.get('x-coppice-verdict')]).toEqual([422, 'unsure']);
    expect(body.error).toMatchObject({ code: 'not_accepted', message: expect.stringContaining(reason) });
    const search = await fetch(`${url}/v1/searches/${headers.get('x-coppice-search')}`);
    expect(await search.json()).toMatchObject({ state: 'done', verdict: 'unsure', error: null });
  });

  test('an accepted answer is the same under each of them', async () => {
    const { url } = await runGateway();
    for (const choice of ['best', 'refuse', 'error']) {
      const { status, headers, body } = await told(url, path, choice);
      expect([status, headers.get('x-coppice-verdict')]).toEqual([200, 'accepted']);
      expect(read[path](body)).toEqual([ends[path].best, expect.stringContaining('The answer is'), null]);
    }
  });

  test.each(['best', 'refuse', 'error'])('a stream says it in its last word: %s', async (choice) => {
    const { url } = await runGateway(doubted());
    const coppice = { on_unaccepted: choice, rollouts: 2 };
    const response = await post(`${url}${path}`, { ...bodies[path], coppice, stream: true });
    const frames: Loose[] = [];
    for await (const { data = '' } of serverEvents(response))
      if (data !== '' && data !== '[DONE]') frames.push(JSON.parse(data));
    const text = JSON.stringify(frames);
    const last = frames.findLast((frame: Loose) => frame.type !== 'message_stop')!;
    if (choice === 'error') expect(JSON.stringify(last)).toContain('No answer is sure enough');
    else expect((last.response ?? last).coppice.verdict).toBe('unsure');
    expect(text.includes('The answer is')).toBe(choice === 'best');
    expect(text.includes(reason)).toBe(choice !== 'best');
  });
});

test('samples that disagree are unsure, some that agree likely, and many confident: those are given under each of them', async () => {
  const agreeing = { script: () => ({ text: 'The answer is 24.', end: 'eos' as const }) };
  const unjudged = (scripted: NonNullable<RunningOptions['scripted']>) => {
    const more = [{ model: { name: 'big' }, engine: new ScriptedEngine() }];
    return runGateway({ verifier: 'none', model: { escalateTo: 'big' }, more, scripted });
  };
  const differing = {
    script: ({ index }: { readonly index: number }) => ({ text: `The answer is ${index}.`, end: 'eos' as const }),
  };
  const [split, sure] = [await unjudged(differing), await unjudged(agreeing)];
  const wish = (choice: string, rollouts = 4) => ({ coppice: { on_unaccepted: choice, rollouts } });
  expect(await ask(split.url, wish('error'))).toMatchObject({
    status: 422,
    error: { message: expect.stringMatching(/unsure: .* of the vote of 4 samples; about \d+ % of such answers/) },
  });
  expect(await ask(split.url, wish('best'))).toMatchObject({ status: 200, coppice: { verdict: 'unsure' } });
  expect(await ask(split.url, wish('escalate'))).toMatchObject({ model: 'big' });
  for (const choice of ['best', 'refuse', 'error', 'escalate']) {
    for (const [rollouts, verdict] of [
      [4, 'likely'],
      [12, 'confident'],
    ] as const) {
      const { model, choices, coppice, usage } = await ask(sure.url, wish(choice, rollouts));
      expect([model, choices[0].message.content]).toEqual(['m', 'The answer is 24.']);
      expect(coppice).toMatchObject({ verdict, confidence: expect.any(Number), support: 1 });
      expect(usage.coppice).toMatchObject({ verdict, confidence: coppice.confidence });
      const kept = (await (await fetch(`${sure.url}/v1/searches/${coppice.search}`)).json()) as Loose;
      expect(kept).toMatchObject({ verdict, confidence: coppice.confidence });
    }
  }
});

test('the model says it where the request does not, and a stored response says it when it is read again', async () => {
  const { url } = await runGateway(doubted({ model: { onUnaccepted: 'refuse' } }));
  expect((await ask(url, {})).choices[0].message).toMatchObject({ content: null, refusal: expect.any(String) });
  expect((await ask(url, { coppice: { on_unaccepted: 'best' } })).choices[0].message.refusal).toBeNull();
  const failed = await post(`${url}/v1/responses`, { ...bodies['/v1/responses'], coppice: { on_unaccepted: 'error' } });
  const id = failed.headers.get('x-coppice-search')?.replace('srch_', 'resp_');
  const again = (await (await fetch(`${url}/v1/responses/${id}`)).json()) as Loose;
  expect(again).toMatchObject({ status: 'failed', output: expect.any(Array), error: { code: 'server_error' } });
  expect(JSON.stringify(again.output)).not.toContain('The answer is');
});

test('escalates wherever an answer is unsure, and not only where a search gave up', async () => {
  const bigger = { model: { name: 'big' }, engine: new ScriptedEngine(), verifier: new ScriptedVerifier() };
  const { url } = await runGateway(doubted({ model: { escalateTo: 'big' }, more: [bigger] }));
  const response = await told(url, '/v1/messages', 'escalate');
  expect(response.body).toMatchObject({ model: 'big', coppice: { escalated_from: 'm' } });
  expect(response.headers.get('x-coppice-verdict')).toBe('accepted');
});

const batched = ['/v1/chat/completions', '/v1/responses'] as const;
test.each(batched)('a line of a batch at %s is answered by the model that took over, on idle strands', async (path) => {
  const bigger = { model: { name: 'big' }, engine: new ScriptedEngine(), verifier: new ScriptedVerifier() };
  const { url, journal } = await runGateway(doubted({ model: { escalateTo: 'big' }, more: [bigger] }));
  const body = { ...bodies[path], coppice: { on_unaccepted: 'escalate' } };
  const form = new FormData();
  form.set('purpose', 'batch');
  const line = { custom_id: 'a', method: 'POST', url: path, body };
  form.set('file', new Blob([JSON.stringify(line)]), 'lines.jsonl');
  const file = (await (await fetch(`${url}/v1/files`, { method: 'POST', body: form })).json()) as Loose;
  const asked = { input_file_id: file.id, endpoint: path, completion_window: '24h' };
  let batch = (await (await post(`${url}/v1/batches`, asked)).json()) as Loose;
  await until(async () => {
    batch = await (await fetch(`${url}/v1/batches/${batch.id}`)).json();
    return batch.status === 'completed';
  });
  const told = JSON.parse(await (await fetch(`${url}/v1/files/${batch.output_file_id}/content`)).text());
  expect(told.response.body).toMatchObject({ model: 'big', coppice: { escalated_from: 'm', verdict: 'accepted' } });
  const searches = await journal.list({ limit: 9 });
  expect(searches.map(({ about }) => about.idle)).toEqual([true, true]);
  if (path === '/v1/responses') {
    const again = (await (await fetch(`${url}/v1/responses/${told.response.body.id}`)).json()) as Loose;
    expect(again).toEqual(told.response.body);
  }
});

test('of several answers only those are given that are not unsure, where nothing else is to be given', async () => {
  const verifier = new ScriptedVerifier(({ step }) => (step.text.includes('5') ? 0.9 : 0.5));
  const script = ({ index }: { readonly index: number }) => ({
    text: `The answer is ${index + 4}.`,
    end: 'eos' as const,
  });
  const { url } = await runGateway({ scripted: { script }, verifier });
  const wish = { program: 'best-of-n', policy: 'vanilla', rollouts: 4 };
  const choicesOf = async (choice: string) =>
    (await ask(url, { n: 3, coppice: { ...wish, on_unaccepted: choice } })).choices.map(
      ({ message }: Loose) => message.content,
    );
  expect(await choicesOf('best')).toHaveLength(3);
  expect(await choicesOf('refuse')).toEqual(['The answer is 5.']);
});
