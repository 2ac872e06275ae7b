// Three nodes on one PostgreSQL while nodes are killed, paused and cut off from it and it is restarted itself: nothing is
// lost, nothing runs twice, every log is whole, and every stream that could go on did. A seed chooses who is hit; the judge
// reads only the tables. COPPICE_STORM=full is two minutes of it, 300 searches in the background and 60 streams.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { Random } from '../../src/base/random.ts';
import { checkCluster } from '../support/cluster-checker.ts';
import { CutLine } from '../support/cut-line.ts';
import type { Loose } from '../support/loose.ts';
import { hasPostgres, startPostgres, type TestDatabase } from '../support/postgres.ts';
import { ServedProcess } from '../support/served-process.ts';

const main = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const isFull = process.env.COPPICE_STORM === 'full';
/** `asked`: by clients that wait. `restarts`: the blows that hit the database. */
const size = isFull
  ? { searches: 300, followed: 40, asked: 60, blows: 24, blowEveryMs: 5000, restarts: [7, 16] }
  : { searches: 90, followed: 20, asked: 24, blows: 6, blowEveryMs: 4000, restarts: [1, 4] };
/** Longer than a lease. */
const outageMs = 13_000;
const seed = Number(process.env.COPPICE_STORM_SEED ?? 7);

let database: TestDatabase;
const nodes: ServedProcess[] = [];
const lines: CutLine[] = [];
/** Of nodes that were killed: their clients lost their connections. */
const killed = new Set<string>();
afterAll(async () => {
  for (const each of nodes) await each.kill();
  for (const each of lines) each.close();
  database?.remove();
});

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const json = { 'content-type': 'application/json' };

async function start(at: number): Promise<void> {
  const settings = ['journal.kind=postgres', 'models.0.budget=12', 'models.0.engine.speed=0.8', 'server.shutdownMs=0'];
  const args = ['--sim', ...settings.flatMap((setting) => ['--set', setting])];
  nodes[at] = await ServedProcess.start(args, { DATABASE_URL: lines[at]!.url });
}

/** To any node that answers, until one has taken it: the key makes it one search however often it is sent. */
async function create(at: number): Promise<string> {
  const body = { model: 'simulated', background: true, seed: at, messages: [{ role: 'user', content: `q ${at}` }] };
  const request = { method: 'POST', headers: { ...json, 'idempotency-key': `q${at}` }, body: JSON.stringify(body) };
  for (let attempt = at; ; attempt += 1) {
    const { url } = nodes[attempt % nodes.length]!;
    const signal = AbortSignal.timeout(3000);
    const answer = await fetch(`${url}/v1/searches`, { ...request, signal }).catch(() => undefined);
    if (answer?.status === 202) return ((await answer.json()) as Loose).id;
    await wait(200);
  }
}

interface Heard {
  /** Where it was asked for. */
  readonly url: string;
  readonly id: string;
  readonly content: string;
  /** Its last line, and nothing else, says that all has been said. */
  readonly isWhole: boolean;
  readonly end: string;
}

/** A chat as a stream, on one node: one that refuses it before its first word is left for the next. */
async function ask(at: number): Promise<Heard> {
  const body = { model: 'simulated', seed: at, stream: true, messages: [{ role: 'user', content: `now ${at}` }] };
  for (let attempt = at; ; attempt += 1) {
    const { url } = nodes[attempt % nodes.length]!;
    let text = '';
    try {
      const answer = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify(body),
      });
      if (answer.ok) for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) text += piece;
    } catch {
      // What was heard until then counts.
    }
    if (text !== '') return heard(url, text);
    await wait(200);
  }
}

function heard(url: string, text: string): Heard {
  const chunks = [...text.matchAll(/^data: ({.*})$/gm)].map(([, line]) => JSON.parse(line!) as Loose);
  const content = chunks.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join('');
  const isWhole = text.endsWith('data: [DONE]\n\n');
  return { url, id: String(chunks[0]?.id), content, isWhole, end: text.slice(-300) };
}

/** The whole log by event streams, each going on where the last one broke. */
async function follow(id: string): Promise<number[]> {
  const sequences: number[] = [];
  for (let attempt = 0; ; attempt += 1) {
    const { url } = nodes[attempt % nodes.length]!;
    try {
      const signal = AbortSignal.timeout(5000);
      const answer = await fetch(`${url}/v1/searches/${id}/events?after=${sequences.at(-1) ?? -1}`, { signal });
      if (answer.status === 204) return sequences;
      let text = '';
      for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) {
        text += piece;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const [, sequence] = /^id: (\d+)$/m.exec(text.slice(0, end)) ?? [];
          const isEnd = text.slice(0, end).includes('event: end');
          text = text.slice(end + 2);
          if (sequence !== undefined) sequences.push(Number(sequence));
          if (isEnd) return sequences;
        }
      }
    } catch {
      // The node or its database went away: another one knows as much.
    }
    await wait(100);
  }
}

async function query(sql: string, values: unknown[] = []): Promise<Loose[]> {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql, values)).rows;
  } catch {
    return [];
  } finally {
    await client.end().catch(() => {});
  }
}

/** How long the searches in the background of a node that is gone wait until somebody goes on with them. */
async function takeovers(pid: number | undefined): Promise<number[]> {
  const sinceMs = performance.now();
  const mine =
    "select id, epoch from coppice.searches where ended_ms is null and state = 'running' and background = 1 and node like $1";
  const open = new Map((await query(mine, [`%-${pid}-%`])).map(({ id, epoch }) => [String(id), Number(epoch)]));
  const tookMs: number[] = [];
  while (open.size > 0 && performance.now() - sinceMs < 60_000) {
    await wait(200);
    const now = await query('select id, epoch, ended_ms from coppice.searches where id = any($1)', [[...open.keys()]]);
    for (const { id, epoch, ended_ms } of now) {
      if (epoch <= open.get(id)! && ended_ms === null) continue;
      open.delete(id);
      if (epoch > 1) tookMs.push(performance.now() - sinceMs);
    }
  }
  return tookMs;
}

/** Nodes that are paused, or cut off from the database. */
const out = new Set<number>();

async function outage(at: number, mend: () => void): Promise<void> {
  out.add(at);
  await wait(outageMs);
  mend();
  out.delete(at);
}

/** One blow after another, chosen by the seed. Resolves to how long searches of killed nodes waited, when all is well again. */
async function storm(): Promise<number[]> {
  const random = new Random(seed);
  const measured: Promise<number[]>[] = [];
  const mended: Promise<void>[] = [];
  for (let blow = 0; blow < size.blows; blow += 1) {
    await wait(size.blowEveryMs);
    const at = random.integer(3);
    const [victim, line] = [nodes[at]!, lines[at]!];
    // One that is out already is not kept out for longer: it would be dead to the others, and its clients with it.
    const kind = out.has(at) ? 0 : random.integer(3);
    if (size.restarts.includes(blow)) database.restart();
    else if (kind === 0) {
      killed.add(victim.url);
      await victim.kill();
      if (!out.has(at)) measured.push(takeovers(victim.pid));
      line.mend();
      await start(at);
    } else if (kind === 1) {
      victim.pause();
      mended.push(outage(at, () => victim.resume()));
    } else {
      line.cut();
      mended.push(outage(at, () => line.mend()));
    }
  }
  await Promise.all(mended);
  return (await Promise.all(measured)).flat().sort((a, b) => a - b);
}

/** Spread over the time of the storm. */
function spread<Result>(count: number, act: (at: number) => Promise<Result>): Promise<Result>[] {
  return Array.from({ length: count }, async (_, at) => {
    await wait((at * size.blows * size.blowEveryMs) / count);
    return act(at);
  });
}

test.skipIf(!hasPostgres)('three nodes in a storm lose nothing, do nothing twice, and keep their streams', async () => {
  database = startPostgres({ fsync: true });
  execFileSync(process.execPath, [main, 'migrate'], { env: { ...process.env, DATABASE_URL: database.url } });
  lines.push(...[0, 1, 2].map(() => new CutLine(database.url)));
  await Promise.all([0, 1, 2].map(start));
  const creating = spread(size.searches, create);
  const following = creating.slice(0, size.followed).map(async (id) => follow(await id));
  const asking = spread(size.asked, ask);
  const tookMs = await storm();
  const ids = await Promise.all(creating);
  const logs = await Promise.all(following);
  const streams = await Promise.all(asking);
  for (;;) {
    const [open] = await query('select count(*)::int as count from coppice.searches where ended_ms is null');
    if (open?.count === 0) break;
    await wait(200);
  }
  const findings = await checkCluster(database.url, 'coppice');
  const [moved] = await query('select count(*)::int as count from coppice.searches where epoch > 1 and background = 0');
  const median = Math.round(tookMs[Math.floor(tookMs.length / 2)] ?? 0);
  const whole = streams.filter(({ isWhole }) => isWhole);
  console.log(
    `${whole.length} of ${size.asked} streams whole, ${streams.length - whole.length} lost their node; ${moved?.count} searches of clients moved; ${findings.searches} searches, ${findings.events} events, ${findings.moved} moved; takeover after a kill: median ${median} ms of ${tookMs.length}, most ${Math.round(tookMs.at(-1) ?? 0)} ms`,
  );
  expect(findings.problems).toEqual([]);
  expect(new Set(ids).size).toBe(size.searches);
  const kept = await query('select id, state, epoch, outcome from coppice.searches where background = 1');
  expect(kept.filter(({ state }) => state !== 'done')).toEqual([]);
  expect(new Set(kept.map(({ id }) => id))).toEqual(new Set(ids));
  for (const log of logs) expect(log).toEqual(log.map((_, at) => at));
  // Only who was on a node that was killed may have heard half of it.
  expect(streams.filter(({ url, isWhole }) => !isWhole && !killed.has(url))).toEqual([]);
  for (const { id, content } of whole) {
    const [record] = await query('select texts from coppice.searches where id = $1', [
      id.replace('chatcmpl-', 'srch_'),
    ]);
    expect(JSON.parse(record?.texts).content).toBe(content);
  }
  expect(findings.moved).toBeGreaterThan(0);
});
