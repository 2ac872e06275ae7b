// How long the searches in the background of a node that was killed wait until another node goes on with them, as the tables say.

import pg from 'pg';
import type { Loose } from '../../support/loose.ts';
import { pause, type StormWorld } from './storm-world.ts';

const patienceMs = 60_000;

/** For each of them, in milliseconds. */
export async function takeovers(world: StormWorld, pid: number | undefined): Promise<number[]> {
  const sinceMs = performance.now();
  const mine =
    "select id, epoch from coppice.searches where ended_ms is null and state = 'running' and background = 1 and node like $1";
  const { url } = world.cluster.database;
  const open = new Map((await query(url, mine, [`%-${pid}-%`])).map(({ id, epoch }) => [String(id), Number(epoch)]));
  const tookMs: number[] = [];
  while (open.size > 0 && performance.now() - sinceMs < patienceMs && !world.ended.aborted) {
    await pause(world, 200);
    const found = 'select id, epoch, ended_ms from coppice.searches where id = any($1)';
    for (const { id, epoch, ended_ms } of await query(url, found, [[...open.keys()]])) {
      if (epoch <= open.get(id)! && ended_ms === null) continue;
      open.delete(id);
      if (epoch > 1) tookMs.push(performance.now() - sinceMs);
    }
  }
  return tookMs;
}

/** None where the database is away. */
export async function query(url: string, sql: string, values: unknown[] = []): Promise<Loose[]> {
  const client = new pg.Client({ connectionString: url });
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
