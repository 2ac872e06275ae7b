// Events per second that the journals take: searches that are accepted, claimed, logged and ended, as a node does it, with
// the events of a search of eight rollouts in size. SQLite in a temporary file; PostgreSQL where DATABASE_URL says, in a schema
// of its own that is made and dropped. Several writers stand for several nodes, in one process: its CPU is reported too.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoggedEvent } from 'coppice';
import {
  connect,
  type DatabaseOptions,
  type Journal,
  migrate,
  PostgresJournal,
  raise,
  SqliteJournal,
} from 'coppice/internals';

const searchesPerWriter = 400;
const eventsPerSearch = 100;
/** Searches that a writer has open at a time, and entries that each adds before the next one's turn. */
const openSearches = 50;
const entriesPerTurn = 5;
const schema = 'coppice_bench';

export async function report(print: (line: string) => void): Promise<void> {
  print(`${searchesPerWriter} searches of ${eventsPerSearch} events for each writer, ${openSearches} at a time`);
  print('| journal | writers | events/s | CPU of this process, us/event | events/s removed by retention |');
  print('|---|---|---|---|---|');
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-'));
  await measure('SQLite', [new SqliteJournal({ path: join(folder, 'journal.db') })], print);
  rmSync(folder, { recursive: true, force: true });
  const url = process.env.DATABASE_URL;
  if (url === undefined) return print('PostgreSQL is left out: DATABASE_URL is not set');
  for (const writers of [1, 2, 4]) await measurePostgres({ url, urlEnv: 'DATABASE_URL', schema }, writers, print);
}

async function measurePostgres(options: DatabaseOptions, writers: number, print: (line: string) => void) {
  const client = await connect(options);
  await client.query(`drop schema if exists ${schema} cascade`);
  await migrate(client, schema);
  const journals = await Promise.all(Array.from({ length: writers }, () => PostgresJournal.open(options)));
  await measure('PostgreSQL', journals, print);
  await client.query(`drop schema ${schema} cascade`);
  await client.end();
}

async function measure(name: string, journals: readonly Journal[], print: (line: string) => void): Promise<void> {
  const [startMs, startCpu] = [performance.now(), process.cpuUsage()];
  await Promise.all(journals.map((journal, at) => write(journal, at)));
  const seconds = (performance.now() - startMs) / 1000;
  const { user, system } = process.cpuUsage(startCpu);
  const events = journals.length * searchesPerWriter * eventsPerSearch;
  const removedS = await sweepAll(journals[0]!);
  await Promise.all(journals.map((journal) => journal.close()));
  const perEvent = ((user + system) / events).toFixed(1);
  const [added, removed] = [events / seconds, events / removedS].map(Math.round);
  print(`| ${name} | ${journals.length} | ${added} | ${perEvent} | ${removed} |`);
}

/** In the slices of the gateway; how many seconds it takes. */
async function sweepAll(journal: Journal): Promise<number> {
  const startMs = performance.now();
  while ((await journal.sweep({ endedBeforeMs: Number.MAX_SAFE_INTEGER, keepSearches: 0, atMost: 200 })) > 0);
  return (performance.now() - startMs) / 1000;
}

async function write(journal: Journal, writer: number): Promise<void> {
  for (let first = 0; first < searchesPerWriter; first += openSearches) {
    const ids = Array.from({ length: openSearches }, (_, at) => `bench-${writer}-${first + at}`);
    for (const id of ids) void begin(journal, id);
    for (let sequence = 0; sequence < eventsPerSearch; sequence += entriesPerTurn) {
      for (const id of ids) for (const entry of entries(id, sequence)) journal.append(1, entry);
      await journal.flush();
    }
    const ended = { state: 'done', endedMs: 2, outcome: { exit: 'accepted' }, texts: { content: '24' } } as const;
    const finished = await Promise.all(ids.map((id) => journal.finish(id, 1, ended)));
    if (!finished.every(Boolean)) raise('internal', 'a search of the benchmark was not written');
  }
}

function begin(journal: Journal, id: string): Promise<unknown> {
  const facts = { owner: 'bench', fingerprint: 'f', background: false, createdMs: 1, about: { model: 'm' } };
  return Promise.all([
    journal.accept({ id, ...facts, title: 'a question', request: { prompt: 'p'.repeat(500) } }),
    journal.claim(id, 0, 1),
  ]);
}

/** A step of some thirty words each. */
function entries(search: string, first: number): LoggedEvent[] {
  return Array.from({ length: entriesPerTurn }, (_, at) => {
    const node = first + at + 1;
    const step = { text: 'a word '.repeat(30), tokens: 40, meanLogprob: -0.31, end: 'delimiter' } as const;
    const event = {
      type: 'grown',
      node,
      key: node,
      parent: 0,
      index: node,
      step,
      reward: 0.5,
      terminal: false,
    } as const;
    return { search, sequence: first + at, atMs: 1, event };
  });
}
