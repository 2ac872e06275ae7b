// The settings of a remote engine, each with unit, default and the reason for it.

import { raise } from '../../base/fault.ts';
import type { Timers } from '../../base/timers.ts';
import type { Transport } from '../../remote/http-transport.ts';
import type { DialectName } from './dialect/dialect.ts';
import type { ListedOptions } from './list/followed-list.ts';
import type { ReplicaEvent } from './replica/health.ts';
import type { RoutingOptions } from './replica/router-hints.ts';

interface ServerOptions {
  readonly url: string;
  readonly apiKey?: string;
}

export interface RemoteEngineOptions extends RoutingOptions {
  readonly servers: readonly ServerOptions[];
  readonly listed?: ListedOptions;
  readonly model?: string;
  readonly dialect?: DialectName;
  /** Sequences per server; read from it or found by trial by default. */
  readonly inFlight?: number;
  /** `auto`: siblings of an expansion share a request if the server takes that well. */
  readonly siblings?: 'auto' | 'single';
  readonly attempts?: number;
  /** Silence before the first token, or between tokens, that counts as hanging. */
  readonly firstTokenMs?: number;
  readonly betweenTokensMs?: number;
  /** Longest wait of a step for a server to come back. */
  readonly patienceMs?: number;
  readonly timers?: Timers;
  readonly transport?: (url: string) => Transport;
  readonly seed?: number;
  readonly observe?: (event: ReplicaEvent) => void;
}

type Defaulted = 'siblings' | 'attempts' | 'firstTokenMs' | 'betweenTokensMs' | 'patienceMs' | 'seed';

export const remoteDefaults: Required<Pick<RemoteEngineOptions, Defaulted>> = {
  siblings: 'auto',
  attempts: 4,
  firstTokenMs: 120_000,
  betweenTokensMs: 30_000,
  patienceMs: 600_000,
  seed: 1,
};

export function checkOptions(options: RemoteEngineOptions): void {
  const { listed, servers } = options;
  if (listed === undefined && servers.length === 0) raise('bad-setting', 'servers is empty; give at least one url');
  atLeast('inFlight', options.inFlight, 1);
  const isRouted = (options.router ?? 'none') !== 'none';
  if (isRouted && (listed !== undefined || servers.length > 1)) {
    const given = listed === undefined ? `${servers.length} urls are given` : 'replicas are listed';
    raise('bad-setting', `router is ${options.router}, and ${given}; give the router's one url`);
  }
  if (!isRouted && options.routingHeaders !== undefined)
    raise('bad-setting', 'routingHeaders are given, and router is none; set router to the one that reads them');
  atLeast('attempts', options.attempts, 1);
  atLeast('firstTokenMs', options.firstTokenMs, 1);
  atLeast('betweenTokensMs', options.betweenTokensMs, 1);
  atLeast('patienceMs', options.patienceMs, 0);
  const forbidden = options.routingHeaders?.find((name) => name.toLowerCase() === 'x-conversation-id');
  if (forbidden !== undefined) {
    raise(
      'bad-setting',
      `routingHeaders has ${forbidden}, which makes llama-server go on after a cancel; choose another`,
    );
  }
}

function atLeast(setting: string, value: number | undefined, low: number): void {
  if (value === undefined || value >= low) return;
  raise('bad-setting', `${setting} is ${value}; it must be ${low} or more`);
}
