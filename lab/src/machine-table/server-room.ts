// A server's limits, if it reports them: tokens of its KV cache, and sequences at a time.

import { probe } from '@coppice/core/engine';
import { Connection, type ConnectionOptions } from '@coppice/core/remote';

interface ServerRoom {
  readonly kvTokens: number;
  readonly sequenceLimit: number;
}

/** More than a search is likely to want, for servers that do not say. */
const enough: ServerRoom = { kvTokens: 400_000, sequenceLimit: 1024 };

/** `named`: the model and the dialect, if given. */
export async function roomOf(server: ConnectionOptions, named?: Parameters<typeof probe>[1]): Promise<ServerRoom> {
  const connection = new Connection(server);
  try {
    const { sequenceLimit } = await probe(connection, named);
    return { kvTokens: await readCache(connection), sequenceLimit: sequenceLimit ?? enough.sequenceLimit };
  } finally {
    connection.close();
  }
}

/** For a server that need not generate. */
export async function cacheOf(server: ConnectionOptions): Promise<number> {
  const connection = new Connection(server);
  try {
    return await readCache(connection);
  } finally {
    connection.close();
  }
}

async function readCache(connection: Connection): Promise<number> {
  const metrics = await connection.call('GET', '/metrics').catch(() => undefined);
  return cacheTokens(metrics?.body ?? '') ?? enough.kvTokens;
}

/** vLLM's `cache_config_info` has number and size of the cache's blocks as labels. */
export function cacheTokens(metrics: string): number | undefined {
  const info = /^vllm:cache_config_info\{(.*)\}/m.exec(metrics)?.[1] ?? '';
  const label = (name: string): number => Number(new RegExp(`\\b${name}="(\\d+)"`).exec(info)?.[1] ?? 0);
  const tokens = label('num_gpu_blocks') * label('block_size');
  return tokens > 0 ? tokens : undefined;
}
