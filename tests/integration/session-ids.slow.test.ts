// Names of sessions as a weapon: 100,000 sessions on record, and more names than turns. Against `coppice serve` with the simulated engine, in a
// process of its own, on loopback. A whole search takes this machine milliseconds and 100,000 would take many minutes: those on record are
// written beforehand, and of the requests that bring new names all but one in 32 are refused behind the look at their session. The same requests
// without names say what memory they cost.

import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteJournal } from '../../packages/core/src/journal/sqlite/sqlite-journal.ts';
import type { Loose } from '../support/loose.ts';
import { ServedProcess } from '../support/served-process.ts';
import { until } from '../support/until.ts';

const onRecord = 100_000;
const loadMs = 20_000;
const atOnce = 32;

/** Of the process that serves: at the signal it collects its garbage, and says what is left. */
const tellsHeap = encodeURIComponent(`
  import v8 from 'node:v8';
  import vm from 'node:vm';
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');
  process.on('SIGUSR2', () => {
    collect();
    console.error('heap ' + process.memoryUsage().heapUsed);
  });
`);

async function writeSessions(path: string): Promise<void> {
  const journal = new SqliteJournal({ path });
  const endedMs = Date.now();
  const session = { since_ms: endedMs, turns: 0, seconds: 0, tokens: 0, money: 0 };
  const facts = { owner: 'local', fingerprint: 'f', background: false, createdMs: endedMs, about: { session } };
  for (let at = 0; at < onRecord; at += 1000) {
    const slice = Array.from({ length: 1000 }, (_, more) => at + more);
    const written = slice.flatMap((each) => {
      const id = `srch_${each.toString(16).padStart(32, '0')}`;
      const accepted = journal.accept({ id, ...facts, session: `old-${each}`, title: 't', request: {} });
      const ended = { state: 'done', endedMs, outcome: {}, texts: {} } as const;
      return [accepted, journal.claim(id, 0, 1), journal.finish(id, 1, ended)];
    });
    await Promise.all(written);
  }
  await journal.close();
}

async function start(journal: string): Promise<ServedProcess> {
  const settings = ['models.0.engine.speed=10000', 'admission.queue=1000'];
  const args = ['--sim', '--journal', journal, ...settings.flatMap((each) => ['--set', each])];
  const served = await ServedProcess.start(args, { NODE_OPTIONS: `--import=data:text/javascript,${tellsHeap}` });
  onTestFinished(() => served.kill());
  return served;
}

type Load = { readonly headersOf?: (at: number) => object; readonly isEnough: (count: number) => boolean };

/** Resolves to how many requests were answered. */
async function load(served: ServedProcess, { headersOf, isEnough }: Load): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  let next = 0;
  const one = (at: number) => {
    const whole = at % 32 === 0;
    const wish = whole ? { reasoning_effort: 'none' } : { coppice: { program: 'best-of-n', policy: 'boost' } };
    const body = JSON.stringify({ model: 'simulated', messages: [{ role: 'user', content: 'q' }], ...wish });
    const headers = { 'content-type': 'application/json', 'content-length': body.length, ...headersOf?.(at) };
    return new Promise<void>((resolve, reject) => {
      const asked = request(`${served.url}/v1/chat/completions`, { method: 'POST', headers, agent }, (answer) => {
        const isExpected = answer.statusCode === (whole ? 200 : 400);
        answer.resume().on('end', () => (isExpected ? resolve() : reject(new Error(`status ${answer.statusCode}`))));
      });
      asked.on('error', reject).end(body);
    });
  };
  const lanes = Array.from({ length: atOnce }, async () => {
    while (!isEnough(next)) {
      next += 1;
      await one(next - 1);
    }
  });
  await Promise.all(lanes);
  agent.destroy();
  return next;
}

/** What is still held once garbage is gone; the system's count of memory moves more than a name takes. */
async function heapMegabytes(served: ServedProcess): Promise<number> {
  const told = () => [...served.errors.matchAll(/^heap (\d+)$/gm)];
  const before = told().length;
  process.kill(served.pid!, 'SIGUSR2');
  await until(() => told().length > before);
  return Number(told().at(-1)![1]) / 1e6;
}

test.skipIf(process.platform === 'win32')(
  `${onRecord} sessions on record and new ones without end: memory is bounded, and all is answered`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-session-ids-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [named, plain] = [join(folder, 'named.db'), join(folder, 'plain.db')];
    await writeSessions(named);
    copyFileSync(named, plain);

    const served = await start(named);
    const before = await heapMegabytes(served);
    // Names that are new, of the longest that are taken.
    const headersOf = (at: number) => ({ 'x-session-id': `${at}-`.padEnd(512, 'x') });
    const endMs = performance.now() + loadMs;
    const isEnough = (count: number) => count >= onRecord || (count >= 1000 && performance.now() > endMs);
    const names = await load(served, { headersOf, isEnough });
    const withNames = await heapMegabytes(served);
    const other = await start(plain);
    await load(other, { isEnough: (count) => count >= names });
    const without = await heapMegabytes(other);

    const read = async (path: string) => (await fetch(served.url + path)).text();
    const turnsOf = async (session: string) =>
      (JSON.parse(await read(`/v1/searches?session=${session}`)) as Loose).data;
    const startMs = performance.now();
    expect(JSON.parse(await read('/v1/searches?limit=500')).data).toHaveLength(500);
    expect((await turnsOf('old-77777')).map(({ session }: Loose) => session)).toEqual(['old-77777']);
    expect(await turnsOf('0-'.padEnd(512, 'x'))).toHaveLength(1);
    expect(await turnsOf('1-'.padEnd(512, 'x'))).toEqual([]);
    const waitMs = performance.now() - startMs;
    const metrics = await read('/metrics');
    expect(metrics).not.toContain('xxx');
    const page = await fetch(served.url);
    expect(page.status).toBe(200);
    const figures = `${before.toFixed(1)} MB of heap before, ${withNames.toFixed(1)} after, ${without.toFixed(1)} without names`;
    console.log(`${names} new names beside ${onRecord}: ${figures}; four lists in ${Math.round(waitMs)} ms`);
    expect(withNames / without).toBeLessThan(1.1);
  },
);
