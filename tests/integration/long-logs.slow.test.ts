// A log of 100,000 events in a process of its own, read by a slow reader and by a fast one at a time: whole, in order, and nothing else waits.

import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import { loopLagMs, watchHealth } from '../support/health-watch.ts';
import { ServedProcess } from '../support/served-process.ts';

const id = 'srch_0000000000000000000000000000';
const events = 100_000;
/** Of one entry out of 1,000, as a search with many samples writes it; the others have one. */
const together = 257;

async function writeLog(path: string): Promise<void> {
  const journal = new SqliteJournal({ path });
  const facts = {
    owner: 'local',
    fingerprint: 'f',
    background: true,
    createdMs: Date.now(),
    about: {},
    title: 't',
    request: {},
  };
  await journal.accept({ id, ...facts });
  await journal.claim(id, 0, 1);
  const event = (node: number) => ({ type: 'moved', strand: 0, node, text: 'step '.repeat(100) }) as never;
  let sequence = 0;
  for (let node = 0; node < events; sequence += 1) {
    const count = Math.min(sequence % 1000 === 0 ? together : 1, events - node);
    const more = Array.from({ length: count - 1 }, (_, at) => event(node + 1 + at));
    journal.append(1, { search: id, sequence, atMs: 1, event: event(node), ...(count > 1 && { more }) });
    node += count;
    if (sequence % 5000 === 0) await journal.flush();
  }
  await journal.finish(id, 1, { state: 'done', endedMs: Date.now(), outcome: {}, texts: {} });
  await journal.close();
}

/** Reads one piece, waits for `pace`, and reads on. */
async function readLog(url: string, pace: () => Promise<unknown>) {
  const nodes: number[] = [];
  const read = { nodes, bytes: 0, end: '' };
  let rest = '';
  await new Promise<void>((resolve, reject) => {
    get(`${url}/v1/searches/${id}/events`, { agent: false }, async (answer) => {
      for await (const piece of answer.setEncoding('utf8')) {
        read.bytes += piece.length;
        const lines = (rest + piece).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (line.startsWith('data: {"state"')) read.end = line;
          else if (line.startsWith('data: ')) nodes.push(JSON.parse(line.slice('data: '.length)).event.node);
        }
        await pace();
      }
      resolve();
    }).on('error', reject);
  });
  return read;
}

const mebibytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`;

test('a slow reader gets all of it, a fast one too, and /health is answered meanwhile', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-long-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'journal.db');
  await writeLog(path);
  const served = await ServedProcess.start(['--sim', '--journal', path]);
  onTestFinished(() => served.kill());
  await loopLagMs(served.url);
  const whole = Array.from({ length: events }, (_, at) => at);
  const end = 'data: {"state":"done"}';
  const [fast, atFull] = await watchHealth(served.url, () => readLog(served.url, async () => {}));
  const fastLagMs = await loopLagMs(served.url);
  expect(fast.end).toBe(end);
  expect(fast.nodes).toEqual(whole);
  const health = () => fetch(`${served.url}/health`).then((answer) => answer.text());
  const [slow, atLeisure] = await watchHealth(served.url, () => readLog(served.url, health));
  const slowLagMs = await loopLagMs(served.url);
  expect(slow.end).toBe(end);
  expect(slow.nodes).toEqual(whole);
  for (const [name, read, seen, lagMs] of [
    ['fast', fast, atFull, fastLagMs],
    ['slow', slow, atLeisure, slowLagMs],
  ] as const) {
    const waits = `worst of ${seen.asked} /health ${Math.round(seen.worstMs)} ms, event loop ${Math.round(lagMs)} ms`;
    console.log(`${name} reader: ${read.nodes.length} events, ${mebibytes(read.bytes)}; ${waits}`);
    // A stall of a whole log would be seconds; how late one answer is belongs to whoever else uses the machine.
    expect(seen.worstMs).toBeLessThan(5000);
  }
  expect(served.errors).toBe('');
});
