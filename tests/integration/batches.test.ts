// Files and batches with the official OpenAI client, unchanged, against a real gateway on loopback.

import OpenAI, { BadRequestError, NotFoundError, toFile } from 'openai';
import type { Batch } from 'openai/resources/batches';
import { describe, expect, test } from 'vitest';
import { FaultError, fault } from '../../packages/core/src/base/fault.ts';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { newKey } from '../../packages/gateway/src/http/keys.ts';
import type { Loose } from '../support/loose.ts';
import { outlivingJournal, type RunningOptions, runGateway } from '../support/running-gateway.ts';
import { until } from '../support/until.ts';

async function client(options: RunningOptions = {}, apiKey = 'unused') {
  const running = await runGateway(options);
  return { ...running, openai: new OpenAI({ baseURL: `${running.url}/v1`, apiKey, maxRetries: 0 }) };
}

type Body = Readonly<Record<string, unknown>>;
const chat: Body = { model: 'm', messages: [{ role: 'user', content: 'make 24 from 4 7 8 8' }] };

function lines(bodies: readonly Body[], url = '/v1/chat/completions'): string {
  return bodies.map((body, at) => JSON.stringify({ custom_id: `line ${at}`, method: 'POST', url, body })).join('\n');
}

async function upload(openai: OpenAI, text: string) {
  return openai.files.create({ purpose: 'batch', file: await toFile(Buffer.from(text), 'questions.jsonl') });
}

async function create(openai: OpenAI, text: string, endpoint = '/v1/chat/completions' as const): Promise<Batch> {
  const { id } = await upload(openai, text);
  return openai.batches.create({ input_file_id: id, endpoint, completion_window: '24h', metadata: { of: 'a test' } });
}

async function ended(openai: OpenAI, id: string): Promise<Batch> {
  for (;;) {
    const batch = await openai.batches.retrieve(id);
    if (['completed', 'failed', 'cancelled', 'expired'].includes(batch.status)) return batch;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function results(openai: OpenAI, file: string | undefined | null) {
  if (!file) return [];
  const text = await (await openai.files.content(file)).text();
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('files', () => {
  test('are put in, listed, read and taken out', async () => {
    const { openai } = await client();
    const text = `${lines([chat, chat])}\n\u{1f333}`;
    const made = await upload(openai, text);
    expect(made).toMatchObject({ object: 'file', purpose: 'batch', filename: 'questions.jsonl', status: 'processed' });
    expect(made.bytes).toBe(Buffer.byteLength(text));
    expect(await openai.files.retrieve(made.id)).toEqual(made);
    expect(await (await openai.files.content(made.id)).text()).toBe(text);
    const second = await upload(openai, 'x'.repeat(200_000));
    const listed: string[] = [];
    for await (const { id } of openai.files.list({ limit: 1 })) listed.push(id);
    expect(listed).toEqual([second.id, made.id]);
    expect(await openai.files.delete(made.id)).toMatchObject({ id: made.id, deleted: true });
    await expect(openai.files.retrieve(made.id)).rejects.toThrow(NotFoundError);
    expect(await (await openai.files.content(second.id)).text()).toHaveLength(200_000);
  });

  test('are bounded, and refused by name where they are no text for a batch', async () => {
    const { openai, url } = await client({ limits: { batchFileBytes: 2000, keyFileBytes: 2500 } });
    const put = async (text: string | Buffer, purpose: 'batch' | 'vision' = 'batch') =>
      openai.files.create({ purpose, file: await toFile(Buffer.from(text), 'x') });
    await expect(put('a', 'vision')).rejects.toThrow(/'purpose': must be 'batch'/);
    await expect(put(Buffer.from([0xff, 0xfe]))).rejects.toThrow(/must be text in UTF-8/);
    await expect(put('a\u0000b')).rejects.toThrow(/must be text in UTF-8/);
    await expect(put('')).rejects.toThrow(/'file' is empty/);
    await expect(put('x'.repeat(2001))).rejects.toThrow(/at most 2000/);
    await put('x'.repeat(2000));
    await expect(put('x'.repeat(501))).rejects.toThrow(/at most 10000 files and 2500 bytes/);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const broken = await fetch(`${url}/v1/files`, { method: 'POST', headers, body: '--x\r\nnonsense' });
    expect([broken.status, ((await broken.json()) as Loose).error.code]).toEqual([400, 'bad_request']);
    const json = { 'content-type': 'application/json' };
    expect((await fetch(`${url}/v1/files`, { method: 'POST', headers: json, body: '{}' })).status).toBe(415);
  });

  test('come in forms of few parts with small headers: parsing others would hold up everybody', async () => {
    const { url } = await client();
    const headers = { 'content-type': 'multipart/form-data; boundary="x y"' };
    const put = async (body: string) => {
      const answer = await fetch(`${url}/v1/files`, { method: 'POST', headers, body });
      return [answer.status, ((await answer.json()) as Loose).error?.message];
    };
    const part = (name: string, text: string, more = '') =>
      `--x y\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
    const form = `${part('purpose', 'batch')}${part('file', 'a', '; filename="f"')}`;
    expect(await put(`${form}--x y--\r\n`)).toEqual([200, undefined]);
    const many = part('purpose', 'batch').repeat(17);
    expect(await put(`${many}--x y--\r\n`)).toEqual([400, 'the form has more than 16 parts, the limit']);
    const wide = part('file', 'a', `; filename="${'f'.repeat(5000)}"`);
    expect(await put(`${part('purpose', 'batch')}${wide}--x y--\r\n`)).toEqual([
      400,
      'the headers of part 2 of the form are larger than 4096 bytes, the limit',
    ]);
  });

  test('need texts that are kept', async () => {
    const { openai } = await client({ journal: new SqliteJournal({ path: ':memory:', texts: 'until-end' }) });
    await expect(upload(openai, 'a')).rejects.toThrow(/journal.texts is 'until-end'/);
    await expect(openai.batches.list()).rejects.toThrow(/journal.texts is 'until-end'/);
  });
});

describe('a batch', () => {
  test('that is stored is told to its client, although the journal cannot be read a moment later', async () => {
    const journal = outlivingJournal();
    const { openai } = await client({ journal });
    const { id } = await upload(openai, lines([chat]));
    const { partNumbers } = journal.documents;
    journal.documents.partNumbers = async () => {
      throw new FaultError(fault('unavailable', 'the database cannot be used'));
    };
    const made = openai.batches.create({
      input_file_id: id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect(await made).toMatchObject({ status: 'validating', request_counts: { total: 0, completed: 0, failed: 0 } });
    journal.documents.partNumbers = partNumbers;
  });

  test('answers every line once, and says by line what cannot be searched', async () => {
    const { openai } = await client();
    const bodies = [chat, { ...chat, n: 2 }, { ...chat, tools: [{ type: 'function' }] }, { ...chat, model: '' }, chat];
    const made = await create(openai, lines(bodies));
    expect(made).toMatchObject({ object: 'batch', status: 'validating', metadata: { of: 'a test' }, errors: null });
    const batch = await ended(openai, made.id);
    expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 5, completed: 3, failed: 2 } });
    const done = await results(openai, batch.output_file_id);
    expect(done.map((line) => line.custom_id)).toEqual(['line 0', 'line 1', 'line 4']);
    for (const { response, error } of done) {
      expect([response.status_code, error]).toEqual([200, null]);
      expect(response.body).toMatchObject({ object: 'chat.completion', coppice: { verdict: 'accepted' } });
    }
    const failed = await results(openai, batch.error_file_id);
    expect(failed.map((line) => [line.custom_id, line.response.status_code, line.response.body.error.param])).toEqual([
      ['line 2', 400, 'tools'],
      ['line 3', 400, 'model'],
    ]);
    expect((await openai.files.list()).data.map(({ purpose }) => purpose).sort()).toEqual([
      'batch',
      'batch_output',
      'batch_output',
    ]);
  });

  test('of responses gives what responses give', async () => {
    const { openai } = await client();
    const input = 'make 24 from 4 7 8 8';
    const made = await create(openai, lines([{ model: 'm', input }], '/v1/responses'), '/v1/responses' as never);
    const batch = await ended(openai, made.id);
    const [line] = await results(openai, batch.output_file_id);
    expect(line.response.body).toMatchObject({ object: 'response', status: 'completed', coppice: { complete: true } });
    const read = await openai.responses.retrieve(line.response.body.id);
    expect(read.output_text).toMatch(/^The answer is/);
  });

  test('that is no batch fails with its lines', async () => {
    const { openai } = await client({ limits: { batchRequests: 2 } });
    const problems = async (text: string) => (await ended(openai, (await create(openai, text)).id)).errors?.data;
    expect(await problems(`${lines([chat])}\nnonsense\n${lines([chat])}`)).toEqual([
      expect.objectContaining({ line: 2, code: 'invalid_json_line' }),
      expect.objectContaining({ line: 3, code: 'duplicate_custom_id' }),
    ]);
    expect(await problems(lines([chat], '/v1/embeddings'))).toEqual([
      expect.objectContaining({ code: 'mismatched_url' }),
    ]);
    const half = await problems(lines([{ ...chat, messages: [{ role: 'user', content: '\ud83d' }] }]));
    expect(half).toEqual([
      expect.objectContaining({
        line: 1,
        code: 'invalid_json_line',
        param: 'body.messages.0.content',
        message: expect.stringMatching(/^'body\.messages\.0\.content' holds half of a surrogate pair/),
      }),
    ]);
    expect(await problems('\n\n')).toEqual([expect.objectContaining({ code: 'empty_file' })]);
    expect(await problems(lines([chat, chat, chat]))).toEqual([expect.objectContaining({ code: 'too_many_requests' })]);
    const body = { input_file_id: 'file-none', endpoint: '/v1/chat/completions', completion_window: '24h' } as const;
    await expect(openai.batches.create(body)).rejects.toThrow(NotFoundError);
    await expect(openai.batches.create({ ...body, endpoint: '/v1/embeddings' })).rejects.toThrow(BadRequestError);
  });

  test('that is cancelled keeps what was answered, and leaves nothing running', async () => {
    const { openai, engine, gateway } = await client({ scripted: { held: true } });
    const made = await create(openai, lines(Array.from({ length: 30 }, () => chat)));
    await until(() => engine.open > 0);
    expect((await openai.batches.cancel(made.id)).status).toBe('cancelling');
    const batch = await ended(openai, made.id);
    expect(batch).toMatchObject({ status: 'cancelled', request_counts: { total: 30, completed: 0, failed: 0 } });
    expect([batch.output_file_id, batch.error_file_id]).toEqual([null, null]);
    expect([...gateway.searches.live].length).toBe(0);
    await expect(openai.batches.cancel(made.id)).rejects.toThrow(/has ended as cancelled/);
  });

  test('waits while others are served, and is felt by none of them', async () => {
    const { openai, gateway } = await client({ scripted: { held: true }, model: { budget: 2 } });
    void openai.chat.completions.create(chat as never).catch(() => {});
    void openai.chat.completions.create(chat as never).catch(() => {});
    await until(() => gateway.searches.admission.running >= 2);
    const made = await create(openai, lines([chat]));
    await until(() => [...gateway.searches.live].length >= 3);
    const [line] = [...gateway.searches.live].filter(({ facts }) => facts.plan.idle === true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(line?.state).toBe('queued');
    expect(gateway.searches.admission.waiting).toBe(0);
    expect((await openai.batches.retrieve(made.id)).status).toBe('in_progress');
  });

  test('expires with an answer for every line', async () => {
    let nowMs = 1_800_000_000_000;
    const clock = { nowMs: () => nowMs };
    const journal = outlivingJournal();
    const first = await client({ scripted: { held: true }, clock, journal });
    const made = await create(first.openai, lines([chat, chat]));
    await until(() => first.engine.open > 0);
    await first.close();
    nowMs += 86_400_001;
    const { openai } = await client({ scripted: { held: true }, clock, journal });
    const batch = await ended(openai, made.id);
    expect(batch).toMatchObject({ status: 'expired', request_counts: { total: 2, completed: 0, failed: 2 } });
    const told = await results(openai, batch.error_file_id);
    expect(told.map(({ error, response }) => error?.code ?? response.status_code)).toHaveLength(2);
  });
});

describe('lines for other endpoints', () => {
  test('one that no search can do is an error of its line, also where the engine could', async () => {
    const upstream = { urls: ['http://127.0.0.1:1/v1'], model: 'real', headers: {} };
    const { openai } = await client({ upstream });
    const tools = [{ type: 'function', function: { name: 'add' } }];
    const batch = await ended(openai, (await create(openai, lines([{ ...chat, tools }, chat]))).id);
    expect(batch.request_counts).toEqual({ total: 2, completed: 1, failed: 1 });
    const [{ custom_id, response }] = await results(openai, batch.error_file_id);
    expect([custom_id, response.status_code]).toEqual(['line 0', 400]);
    expect(response.body.error).toMatchObject({ code: 'unsupported_parameter', param: 'tools' });
  });

  test('messages are searched, and errors are in their words', async () => {
    const { openai } = await client();
    const message = { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'make 24' }] };
    const wrong = { ...message, max_tokens: 'many' };
    const thinking = { ...message, thinking: { type: 'adaptive' } };
    const text = lines([message, thinking, wrong], '/v1/messages');
    const batch = await ended(openai, (await create(openai, text, '/v1/messages' as never)).id);
    const said = await results(openai, batch.output_file_id);
    expect(said.map(({ response }) => response.body.content.map(({ type }: Loose) => type))).toEqual([
      ['text'],
      ['thinking', 'text'],
    ]);
    const [{ response }] = await results(openai, batch.error_file_id);
    expect(response.body).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', param: 'max_tokens' },
    });
  });
});

describe('keys', () => {
  test('see their own files and batches, and an admin all', async () => {
    const [ann, bob, admin] = [newKey(), newKey(), newKey()];
    const keys = [
      { name: 'ann', hash: ann.hash },
      { name: 'bob', hash: bob.hash },
      { name: 'root', hash: admin.hash, admin: true },
    ];
    const { openai, url } = await client({ config: { keys } }, ann.key);
    const others = (apiKey: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey, maxRetries: 0 });
    const made = await create(openai, lines([chat]));
    const batch = await ended(openai, made.id);
    for (const file of [batch.input_file_id, batch.output_file_id!]) {
      await expect(others(bob.key).files.retrieve(file)).rejects.toThrow(NotFoundError);
      await expect(others(bob.key).files.content(file)).rejects.toThrow(NotFoundError);
      await expect(others(bob.key).files.delete(file)).rejects.toThrow(NotFoundError);
      expect((await others(admin.key).files.retrieve(file)).id).toBe(file);
    }
    await expect(others(bob.key).batches.retrieve(made.id)).rejects.toThrow(NotFoundError);
    await expect(others(bob.key).batches.cancel(made.id)).rejects.toThrow(NotFoundError);
    const theft = {
      input_file_id: batch.input_file_id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    } as const;
    await expect(others(bob.key).batches.create(theft)).rejects.toThrow(NotFoundError);
    expect((await others(bob.key).batches.list()).data).toEqual([]);
    expect((await others(bob.key).files.list()).data).toEqual([]);
    expect((await others(admin.key).batches.list()).data.map(({ id }) => id)).toEqual([made.id]);
  });
});
