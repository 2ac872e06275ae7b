// The settings of a remote engine, each with unit, default and the reason for it.

import type { Timers } from '../../base/clock.ts';
import { raise } from '../../base/fault.ts';
import type { Transport } from '../../remote/http-transport.ts';
import type { DialectName } from './dialect/dialect.ts';
import type { ListedOptions } from './list/followed-list.ts';
import type { ReplicaEvent } from './replica/health.ts';
import type { RouterName } from './replica/router-hints.ts';

interface ServerOptions {
  readonly url: string;
  readonly apiKey?: string | undefined;
}

export interface RemoteEngineOptions {
  readonly servers: readonly ServerOptions[];
  readonly listed?: ListedOptions;
  readonly model?: string | undefined;
  readonly dialect?: DialectName | undefined;
  /** Sequences per server; read from it or found by trial by default. */
  readonly inFlight?: number | undefined;
  readonly attempts?: number;
  /** Silence before the first token, or between tokens, that counts as hanging. */
  readonly firstTokenMs?: number;
  readonly betweenTokensMs?: number;
  readonly patienceMs?: number;
  readonly timers?: Timers;
  readonly transport?: (url: string) => Transport;
  readonly seed?: number;
  /** Stands in front of the one server; with several servers this engine routes. */
  readonly router?: RouterName;
  readonly observe?: (event: ReplicaEvent) => void;
}

export const remoteDefaults = {
  attempts: 4,
  firstTokenMs: 120_000,
  betweenTokensMs: 30_000,
  patienceMs: 600_000,
  seed: 1,
} satisfies Partial<RemoteEngineOptions>;

export function checkOptions({ listed, servers, router = 'none' }: RemoteEngineOptions): void {
  if (listed === undefined && servers.length === 0) raise('bad-setting', 'servers is empty; give at least one url');
  if (router === 'none' || (listed === undefined && servers.length === 1)) return;
  const given = listed === undefined ? `${servers.length} urls are given` : 'replicas are listed';
  raise('bad-setting', `router is ${router}, and ${given}; give the router's one url`);
}
