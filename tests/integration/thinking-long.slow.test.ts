// A chain of 20,000 tokens in tags or in a server's field: answered and streamed in the right fields on every kind of server, and resumed
// after kill -9 where it was.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { thoughtAnswer } from '../servers/model.ts';
import type { Loose } from '../support/loose.ts';
import { post } from '../support/running-gateway.ts';
import { ServedProcess } from '../support/served-process.ts';
import { eventsOf, serveModel, serveThinker, thinkerAsk, thinkingServers, wordsIn } from '../support/thinker.ts';
import { expectAnswered, expectStreamed } from '../support/thinker-checks.ts';
import { embeddedQuestion, tinyThinker } from '../support/tiny-thinker.ts';
import { until } from '../support/until.ts';

const words = 20_000;

describe.each(Object.keys(thinkingServers))('a chain of 20,000 tokens on %s', (name) => {
  test('is answered, and streamed in the fields of chat, Responses and Messages', async () => {
    const { url } = await serveThinker(name, { words });
    await expectAnswered(url, words);
    await expectStreamed(url, words);
  });

  test('goes on after kill -9 in the middle, from its last step where the server continues thinking', async () => {
    const server = await thinkingServers[name]!({ words }).listen();
    onTestFinished(() => server.close());
    let written = 0;
    const model = { engine: { kind: 'openai', urls: [server.url] } };
    const isHalfway = () => server.tokensWritten > words / 2;
    const { result } = await killedAndResumed(model, thinkerAsk, isHalfway, () => {
      written = server.tokensWritten;
    });
    expect(result.content).toBe(thoughtAnswer);
    expect(wordsIn(result.reasoning_content)).toBe(words);
    const again = server.tokensWritten - written;
    if (name.startsWith('a chat route')) expect(again).toBeGreaterThanOrEqual(words);
    // What the journal had not yet taken is written again; how much that is depends on the machine.
    else expect(again).toBeLessThan(words * 0.9);
  });
});

test('a chain on the embedded engine goes on after kill -9 from its last step', async () => {
  const tokens = 6000;
  const coppice = { rollouts: 1, program: 'self-consistency', max_thinking_tokens: tokens };
  const asked = { ...thinkerAsk, ...embeddedQuestion, coppice };
  const isUnderWay = ({ summary }: Loose) => summary.nodes > 2;
  const { result, events } = await killedAndResumed(tinyThinker(32_768), asked, isUnderWay);
  expect(result.content.trim()).toBe('42');
  expect(result.reasoning_content.split('\n')[0]!.length).toBeGreaterThan(0.9 * tokens);
  const kinds = events.map(({ type }) => type);
  expect(kinds.filter((type) => type === 'resumed')).toHaveLength(1);
  // Its steps before the kill that had come to the disk are there once, and were not written again.
  expect(kinds.slice(0, kinds.indexOf('resumed')).filter((type) => type === 'grown').length).toBeGreaterThan(0);
  const grown = events.filter(({ type }) => type === 'grown').map(({ parent, index }) => `${parent} ${index}`);
  expect(new Set(grown).size).toBe(grown.length);
});

/** A token costs the more the longer its path is: all 20,000 take minutes, and run where that is asked for. */
const embeddedWords = process.env.COPPICE_LONG === undefined ? 6_000 : words;

test('a chain of thousands of tokens on the embedded engine is answered and streamed, where its context holds it', async () => {
  const url = await serveModel(tinyThinker(32_768));
  const limits = { max_thinking_tokens: embeddedWords, deadline_ms: 3_600_000 };
  const coppice = { rollouts: 1, program: 'self-consistency', ...limits };
  const events = await eventsOf(url, '/v1/chat/completions', { ...thinkerAsk, ...embeddedQuestion, coppice });
  const deltas = events.map(({ choices }) => choices?.[0]?.delta ?? {});
  const thought = deltas.map(({ reasoning_content }) => reasoning_content ?? '').join('');
  expect(thought.split('\n')[0]!.length).toBeGreaterThan(0.98 * embeddedWords);
  expect(
    deltas
      .map(({ content }) => content ?? '')
      .join('')
      .trim(),
  ).toBe('42');
});

/** The result of a search whose server is killed when `isToDie` says so and started again, and the events of its log. */
async function killedAndResumed(
  model: object,
  body: object,
  isToDie: (told: Loose) => boolean,
  onKilled = () => {},
): Promise<{ readonly result: Loose; readonly events: readonly Loose[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-thinking-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'coppice.json');
  writeFileSync(file, JSON.stringify({ models: [{ name: 'thinker', ...model }] }));
  const start = async () => {
    const served = await ServedProcess.start(['--config', file, '--journal', join(folder, 'journal.db')]);
    onTestFinished(() => served.kill());
    return served;
  };
  const first = await start();
  const { id } = (await (await post(`${first.url}/v1/searches`, { ...body, background: true })).json()) as Loose;
  const told = async (url: string) => (await (await fetch(`${url}/v1/searches/${id}`)).json()) as Loose;
  await until(async () => isToDie(await told(first.url)));
  await first.kill();
  onKilled();
  const second = await start();
  await until(async () => Boolean((await told(second.url)).result));
  const { result } = await told(second.url);
  const stream = await (await fetch(`${second.url}/v1/searches/${id}/events`)).text();
  const lines = stream.split('\n').filter((line) => line.startsWith('data: {"search"'));
  await second.stop();
  return { result, events: lines.map((line) => (JSON.parse(line.slice(6)) as Loose).event) };
}
