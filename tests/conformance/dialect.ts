// What every inbound dialect must do, seen by a client of it: the same answer whole, as a stream and in a batch; refusals and failures in its
// own words; a search that ends with its client. A dialect that has no word for something skips that test and says why.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Loose } from '../support/loose.ts';
import { post, runGateway, type ServerEvent, serverEvents } from '../support/running-gateway.ts';
import type { Script } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';

/** How a client of the dialect writes and reads. */
export interface DialectClient {
  readonly path: string;
  /** A whole body. */
  ask(question: string): Readonly<Record<string, unknown>>;
  /** Fields that ask for one generation without search. */
  readonly direct: object;
  readonly background: object;
  /** Fields that are refused, and the name that the client is told. */
  readonly refused: readonly (readonly [given: object, param: string])[];
  /** Fields that only the engine's own endpoint can do. */
  readonly beyond: object;
  textOf(answer: Loose): string;
  usageOf(answer: Loose): unknown;
  /** Of a stream: its data, parsed. */
  streamedText(events: readonly Loose[]): string;
  streamedUsage(events: readonly Loose[]): unknown;
  /** The code or kind of the failure that a stream ends with; undefined where it ends well. */
  streamedFailure(events: readonly Loose[]): string | undefined;
  isError(body: Loose): boolean;
}

/** `test`: the title of a test that the dialect cannot pass. */
export interface DialectSkip {
  readonly test: string;
  readonly reason: string;
}

const script: Script = ({ path, index }) =>
  path.length < 2
    ? { text: `step ${path.length + 1} way ${index}\n\n`, end: 'delimiter' }
    : { text: 'The answer is 4.', end: 'eos' };

export function dialectConformance(name: string, client: DialectClient, skips: readonly DialectSkip[] = []): void {
  const { path } = client;
  const question = client.ask('make 24 from 4 7 8 8');

  const test = (title: string, body: () => Promise<void>): void => {
    const skipped = skips.find((each) => each.test === title);
    if (skipped === undefined) it(title, body);
    else it.skip(`${title} (${skipped.reason})`, body);
  };

  const whole = async (url: string, more: object = {}): Promise<Loose> => {
    const response = await post(`${url}${path}`, { ...question, ...more });
    return { status: response.status, body: await response.json() };
  };

  const streamed = async (url: string, more: object = {}): Promise<Loose[]> => {
    const response = await post(`${url}${path}`, { ...question, stream: true, ...more });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const events: ServerEvent[] = [];
    for await (const event of serverEvents(response)) events.push(event);
    return events.flatMap(({ data }) => (data === undefined || data === '[DONE]' ? [] : [JSON.parse(data)]));
  };

  describe(`dialect conformance: ${name}`, () => {
    test('says the same whole and as a stream, usage included', async () => {
      const { url } = await runGateway({ scripted: { script } });
      const { status, body } = await whole(url);
      const events = await streamed(url);
      expect([status, client.textOf(body), client.streamedText(events)]).toEqual([
        200,
        ...Array(2).fill('The answer is 4.'),
      ]);
      expect(client.usageOf(body)).toEqual(client.streamedUsage(events));
      expect(Object.values(client.usageOf(body) as object)).toContain(7);
      expect(client.streamedFailure(events)).toBeUndefined();
    });

    test('says the same without search', async () => {
      const { url } = await runGateway({ scripted: { script: () => ({ text: 'one two three', end: 'eos' }) } });
      const { body } = await whole(url, client.direct);
      expect(client.textOf(body)).toBe('one two three');
      expect(client.streamedText(await streamed(url, client.direct))).toBe('one two three');
    });

    test('says the same in a batch', async () => {
      const { url } = await runGateway({ scripted: { script } });
      const { body } = await whole(url);
      const [line, wrong] = await batch(url, path, [question, { ...question, ...client.refused[0]![0] }]);
      expect(line).toMatchObject({ status_code: 200 });
      expect(client.textOf(line.body)).toBe(client.textOf(body));
      expect(client.usageOf(line.body)).toEqual(client.usageOf(body));
      expect([wrong.status_code, client.isError(wrong.body)]).toEqual([400, true]);
    });

    test('is taken up in the background, and answered at once', async () => {
      const { url, engine, gateway } = await runGateway({ scripted: { script, held: true } });
      const { status, body } = await whole(url, client.background);
      expect([status, client.textOf(body)]).toEqual([200, '']);
      engine.release();
      await until(() => [...gateway.searches.live].length === 0);
    });

    test('refuses what it cannot do under the name that its own body has for it', async () => {
      const { url, journal } = await runGateway({ scripted: { script } });
      for (const [given, param] of client.refused) {
        const { status, body } = await whole(url, given);
        expect([status, client.isError(body), body.error.param]).toEqual([400, true, param]);
        expect(body.error.message).toContain(param);
      }
      expect(await journal.list({ limit: 1 })).toEqual([]);
    });

    test('tells of a model that is not there, of bad JSON and of a wrong method in its words', async () => {
      const { url } = await runGateway();
      const missing = await runGateway({ config: { server: { foreignNames: 'refuse' } } });
      const { status, body } = await whole(missing.url, { model: 'other' });
      expect([status, client.isError(body), body.error.code]).toEqual([404, true, 'model_not_found']);
      const broken = await post(`${url}${path}`, '{');
      expect([broken.status, client.isError((await broken.json()) as Loose)]).toEqual([400, true]);
      const wrong = await fetch(`${url}${path}`, { method: 'DELETE' });
      expect([wrong.status, client.isError((await wrong.json()) as Loose)]).toEqual([405, true]);
    });

    test('tells of a failing engine in its words, before the first byte and after it', async () => {
      const { url } = await runGateway({ scripted: { script: () => 'fault' } });
      const { status, body } = await whole(url);
      expect([status, client.isError(body), body.error.code]).toEqual([502, true, 'engine_failed']);
      const events = await streamed(url);
      expect(client.streamedFailure(events)).toMatch(/engine_failed|server_error/);
      expect(client.streamedText(events)).toBe('');
    });

    for (const stream of [false, true])
      test(`ends its search when its client goes away, streamed ${stream}`, async () => {
        const { url, engine, gateway } = await runGateway({ scripted: { held: true } });
        const abort = new AbortController();
        const read = post(`${url}${path}`, { ...question, stream }, {}, abort.signal).then((response) =>
          response.text(),
        );
        const gone = read.catch(() => 'gone');
        await until(() => engine.open > 0);
        abort.abort();
        expect(await gone).toBe('gone');
        await until(() => engine.open === 0 && [...gateway.searches.live].length === 0);
        expect(engine.cancelled.length).toBeGreaterThan(0);
      });

    test('passes on what no search can do, to the endpoint of the same name', async () => {
      const asked: (string | undefined)[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"said":"by the engine"}');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      const upstream = { urls: [`http://127.0.0.1:${port}/v1`], model: 'real', headers: {} };
      const { url } = await runGateway({ upstream });
      expect(await whole(url, client.beyond)).toEqual({ status: 200, body: { said: 'by the engine' } });
      expect(asked).toEqual([path]);
    });
  });
}

/** The replies to the lines of a batch, in their order. */
async function batch(url: string, endpoint: string, bodies: readonly object[]): Promise<Loose[]> {
  const lines = bodies.map((body, at) => JSON.stringify({ custom_id: `${at}`, method: 'POST', url: endpoint, body }));
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', new Blob([lines.join('\n')]), 'lines.jsonl');
  const file = (await (await fetch(`${url}/v1/files`, { method: 'POST', body: form })).json()) as Loose;
  const about = { input_file_id: file.id, endpoint, completion_window: '24h' };
  let made = (await (await post(`${url}/v1/batches`, about)).json()) as Loose;
  await until(async () => {
    made = (await (await fetch(`${url}/v1/batches/${made.id}`)).json()) as Loose;
    return made.status === 'completed';
  });
  const results = await Promise.all(
    [made.output_file_id, made.error_file_id].map(async (id) => (await fetch(`${url}/v1/files/${id}/content`)).text()),
  );
  const read = results.flatMap((text) => text.trimEnd().split('\n')).map((line) => JSON.parse(line) as Loose);
  return read.sort((a, b) => Number(a.custom_id) - Number(b.custom_id)).map(({ response }) => response);
}
