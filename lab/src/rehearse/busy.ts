// Detects other clients of a server: a rehearsal would slow them down, and they would spoil its figures.

import { setTimeout as sleep } from 'node:timers/promises';
import { type DialectName, readGauges } from '@coppice/core/engine';
import { Connection, type ConnectionOptions } from '@coppice/core/remote';

const betweenReadsMs = 300;
const reads = 2;

/** Requests that run or wait on the server at each of a few looks; undefined if it does not report them. */
export async function requestsOn(server: ConnectionOptions, dialect: DialectName): Promise<number | undefined> {
  const connection = new Connection(server);
  try {
    let least: number | undefined;
    for (let at = 0; at < reads; at += 1) {
      if (at > 0) await sleep(betweenReadsMs);
      const reply = await connection.call('GET', '/metrics').catch(() => undefined);
      const { running, waiting } = readGauges(dialect, reply?.status === 200 ? reply.body : '');
      if (running === undefined) return undefined;
      least = Math.min(least ?? Number.POSITIVE_INFINITY, running + (waiting ?? 0));
    }
    return least;
  } finally {
    connection.close();
  }
}
