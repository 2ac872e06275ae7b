// Nodes in parallel: offers 20 searches a second to each of 1, 2 and 4 nodes on one PostgreSQL, and to one process on a file. Measures searches
// served, their time, the CPU of nodes and database, and the cost of `safe` beside `boost`. Uses the database at DATABASE_URL, with tables in a
// schema of its own, which is dropped. `npm run bench -- nodes`, on an otherwise idle machine, which the nodes share.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '@coppice/core/base';
import pg from 'pg';
import { percentile } from '../statistics.ts';
import { commandFile } from './command-file.ts';
import { startServer, stopServer } from './simulated-server.ts';

const schema = 'coppice_bench';
const seed = 1;
const perSecond = 20;
const seconds = 20;
const rollouts = 4;
/** Enough that no search waits: what is measured is the way, not the engine. */
const settings = ['models.0.budget=512', 'models.0.engine.speed=4', 'log.level=error'];
const ticksPerSecond = 100;
const policyRounds = 3;

interface NodesResult {
  readonly served: number;
  readonly offered: number;
  readonly tookMs: readonly number[];
  readonly nodeCpuS: number;
  readonly databaseCpuS: number | undefined;
}

export async function report(print: (line: string) => void): Promise<void> {
  print(`coppice serve --sim, ${settings.slice(0, 2).join(', ')}, ${rollouts} rollouts, seed ${seed}`);
  print(
    `${perSecond} searches a second to each node for ${seconds} s; CPU in ms a search; times of the engine are simulated`,
  );
  print('| journal | nodes | served | p50 ms | p99 ms | CPU of nodes | CPU of PostgreSQL |');
  print('|---|--:|--:|--:|--:|--:|--:|');
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-'));
  print(rowOf('SQLite', 1, await measure(1, ['--journal', join(folder, 'journal.db')])));
  rmSync(folder, { recursive: true, force: true });
  const url = process.env.DATABASE_URL;
  if (url === undefined) return print('PostgreSQL is left out: DATABASE_URL is not set');
  const shared = ['--set', 'journal.kind=postgres', '--set', `journal.schema=${schema}`];
  for (const count of [1, 2, 4]) {
    await makeTables(url);
    print(rowOf('PostgreSQL', count, await measure(count, shared, url)));
  }
  print(await sizes(url));
  await reportPolicies(url, shared, print);
  await dropTables(url);
}

/** One node under each policy in turn: what else the machine does meanwhile meets both alike. */
async function reportPolicies(url: string, shared: readonly string[], print: (line: string) => void): Promise<void> {
  const cpuMs: Record<string, number[]> = { safe: [], boost: [] };
  for (let round = 0; round < policyRounds; round += 1)
    for (const [policy, each] of Object.entries(cpuMs)) {
      await makeTables(url);
      const { nodeCpuS, served } = await measure(1, [...shared, '--set', `models.0.policy=${policy}`], url);
      each.push((nodeCpuS * 1000) / served);
      if (round === 0) print(`${policy}: ${await sizes(url)}`);
    }
  const said = (policy: string) => cpuMs[policy]!.map((ms) => ms.toFixed(1)).join(', ');
  const ratio = Math.min(...cpuMs.safe!) / Math.min(...cpuMs.boost!);
  print(`CPU of a search, ms: safe ${said('safe')}; boost ${said('boost')}; least over least ${ratio.toFixed(2)}`);
}

async function makeTables(url: string): Promise<void> {
  await dropTables(url);
  execFileSync(process.execPath, [...process.execArgv, commandFile, 'migrate', '--set', `journal.schema=${schema}`]);
}

async function dropTables(url: string): Promise<void> {
  await query(url, `drop schema if exists ${schema} cascade; drop schema if exists ${schema}_queue cascade`);
}

function rowOf(journal: string, count: number, result: NodesResult): string {
  const { served, offered, tookMs, nodeCpuS, databaseCpuS } = result;
  const each = (cpuS: number) => ((cpuS * 1000) / Math.max(1, served)).toFixed(1);
  const at = (percent: number) => percentile(tookMs, percent).toFixed(0);
  const database = databaseCpuS === undefined ? '–' : each(databaseCpuS);
  return `| ${journal} | ${count} | ${served} of ${offered} | ${at(50)} | ${at(99)} | ${each(nodeCpuS)} | ${database} |`;
}

async function measure(count: number, args: readonly string[], database?: string): Promise<NodesResult> {
  const nodes = await Promise.all(Array.from({ length: count }, () => startServer(settings, args)));
  try {
    const cpuOf = () => Promise.all(nodes.map(({ url }) => nodeCpu(url)));
    const databaseCpu = async () => (database === undefined ? undefined : postgresCpu(database));
    await Promise.all(nodes.map((node) => drive(node.url, 1, 'warm')));
    const [before, databaseBefore] = [await cpuOf(), await databaseCpu()];
    const answers = (await Promise.all(nodes.map(({ url }, at) => drive(url, seconds, `node ${at}`)))).flat();
    const [after, databaseAfter] = [await cpuOf(), await databaseCpu()];
    const tookMs = answers.filter((each) => each !== undefined);
    const isKnown = databaseBefore !== undefined && databaseAfter !== undefined;
    return {
      served: tookMs.length,
      offered: answers.length,
      tookMs,
      nodeCpuS: after.reduce((sum, each, at) => sum + each - before[at]!, 0),
      databaseCpuS: isKnown ? databaseAfter - databaseBefore : undefined,
    };
  } finally {
    await Promise.all(nodes.map(stopServer));
  }
}

/** An open stream of searches whose clients wait; how long each took, undefined where it was not served. */
function drive(url: string, forSeconds: number, name: string): Promise<(number | undefined)[]> {
  const startMs = performance.now();
  const random = new Random('nodes', seed, name);
  let atMs = 0;
  const asked = Array.from({ length: perSecond * forSeconds }, (_, at) => {
    atMs += (random.exponential(1) * 1000) / perSecond;
    return ask(url, `${name} ${at}`, startMs + atMs);
  });
  return Promise.all(asked);
}

async function ask(url: string, question: string, arrivalMs: number): Promise<number | undefined> {
  await new Promise<void>((resolve) => setTimeout(resolve, Math.max(0, arrivalMs - performance.now())));
  const body = { model: 'simulated', messages: [{ role: 'user', content: question }], seed: 7, coppice: { rollouts } };
  const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(`${url}/v1/searches`, request).catch(() => undefined);
  await answer?.text();
  return answer?.ok === true ? performance.now() - arrivalMs : undefined;
}

async function nodeCpu(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1] ?? 0);
}

/** Of the server and all its processes, those that have ended included; undefined where it runs on another machine. */
async function postgresCpu(url: string): Promise<number | undefined> {
  const rows = await query(url, "select pid from pg_stat_activity where backend_type = 'checkpointer'");
  const server = statOf(String(rows[0]?.pid))?.parent;
  if (server === undefined) return undefined;
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = processes.map(statOf).filter((stat) => stat?.parent === server);
  const own = statOf(server);
  const ticks = children.reduce((sum, stat) => sum + (stat?.ticks ?? 0), (own?.ticks ?? 0) + (own?.endedTicks ?? 0));
  return ticks / ticksPerSecond;
}

interface ProcessStat {
  readonly parent: string;
  readonly ticks: number;
  /** Of its children that have ended. */
  readonly endedTicks: number;
}

function statOf(pid: string): ProcessStat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
    return { parent: fields[1]!, ticks: user! + system!, endedTicks: endedUser! + endedSystem! };
  } catch {
    return undefined;
  }
}

async function sizes(url: string): Promise<string> {
  const [row] = await query(
    url,
    `select (select count(*) from ${schema}.searches)::integer as searches, (select count(*) from ${schema}.events)::integer as entries,
       (select sum(1 + coalesce(json_array_length(body::json->'more'), 0)) from ${schema}.events)::integer as events,
       pg_total_relation_size('${schema}.events')::double precision as bytes,
       pg_total_relation_size('${schema}.searches')::double precision as records`,
  );
  const { searches = 0, entries = 0, events = 0, bytes = 0, records = 0 } = row ?? {};
  return `${(entries / searches).toFixed(0)} entries a search of ${(events / searches).toFixed(0)} events, ${(bytes / events).toFixed(0)} bytes an event, ${(records / searches).toFixed(0)} bytes a record, indexes included`;
}

async function query(url: string, sql: string): Promise<Record<string, number>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows ?? [];
  } finally {
    await client.end();
  }
}
