// Reads servers' metrics pages: tokens generated, and sequences that run and that wait. A client that counts itself would miss what has not come
// back yet.

import { type DialectName, readGauges } from '@coppice/core/engine';
import type { Connection } from '@coppice/core/remote';

/** Values at one moment, over all servers; undefined if one does not report them. */
export interface ServerReading {
  /** By `performance.now()`, when it had come. */
  readonly atMs: number;
  /** Generated since the start. */
  readonly tokens: number | undefined;
  readonly running: number | undefined;
  readonly waiting: number | undefined;
}

export interface AskedServer {
  readonly connection: Connection;
  readonly dialect: DialectName;
}

const counters = /^(?:(?:vllm|sglang):generation_tokens_total|llamacpp:tokens_predicted_total)(?:\{[^}]*\})? (\S+)/gm;

/** Tokens generated since the server started, of all its engines. */
export function generatedOn(page: string): number | undefined {
  const counts = [...page.matchAll(counters)];
  return counts.length === 0 ? undefined : counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** A front end that is behind answers late. */
const timeoutMs = 60_000;

export async function readServers(servers: readonly AskedServer[]): Promise<ServerReading> {
  const all = await Promise.all(
    servers.map(async ({ connection, dialect }) => {
      const { status, body } = await connection.call('GET', '/metrics', undefined, { timeoutMs });
      const page = status === 200 ? body : '';
      return { tokens: generatedOn(page), ...readGauges(dialect, page) };
    }),
  );
  return {
    atMs: performance.now(),
    tokens: sumOf(all.map(({ tokens }) => tokens)),
    running: sumOf(all.map(({ running }) => running)),
    waiting: sumOf(all.map(({ waiting }) => waiting)),
  };
}

function sumOf(values: readonly (number | undefined)[]): number | undefined {
  return values.reduce((sum, value) => (sum === undefined || value === undefined ? undefined : sum + value), 0);
}
