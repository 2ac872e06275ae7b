// Events per second of the journals: searches are accepted, claimed, logged and ended as a node does it, with as many events as a search of eight
// rollouts, five to an entry, as a step of the loop writes them. SQLite runs in a temporary file; PostgreSQL at DATABASE_URL, in a schema of its own
// that is made and dropped. Several writers in one process stand for several nodes; its CPU time is reported too.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { raise } from '@coppice/core/base';
import { type Journal, SqliteJournal } from '@coppice/core/journal';
import { connect, migrate, PostgresJournal } from '@coppice/postgres/journal';
import type { LogEntry, SearchEvent } from 'coppice';

const searchesPerWriter = 400;
const eventsPerSearch = 100;
/** Searches that a writer has open at a time, and events of the entry that each adds before the next one's turn. */
const openSearches = 50;
const eventsPerEntry = 5;
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

async function measurePostgres(options: Parameters<typeof connect>[0], writers: number, print: (line: string) => void) {
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
    for (let sequence = 0; sequence < eventsPerSearch / eventsPerEntry; sequence += 1) {
      for (const id of ids) journal.append(1, entryAt(id, sequence));
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

/** Steps of some thirty words each. */
function entryAt(search: string, sequence: number): LogEntry {
  const events = Array.from({ length: eventsPerEntry }, (_, at) => stepEvent(sequence * eventsPerEntry + at + 1));
  return { search, sequence, atMs: 1, event: events[0]!, more: events.slice(1) };
}

function stepEvent(node: number): SearchEvent {
  const step = { text: 'a word '.repeat(30), tokens: 40, meanLogprob: -0.31, end: 'delimiter' } as const;
  return { type: 'grown', node, key: node, parent: 0, index: node, step, reward: 0.5, terminal: false };
}
