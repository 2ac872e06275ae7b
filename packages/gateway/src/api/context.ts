// The parts that every handler gets.

import type { Clock } from '@coppice/core/base';
import type { Config } from '@coppice/core/config';
import type { Cluster, Journal } from '@coppice/core/journal';
import type { LogWatchers } from '../follow/log-watchers.ts';
import { journalTrouble } from '../http/api-error.ts';
import type { BodyRoom } from '../http/body-room.ts';
import type { StreamSemaphore } from '../http/event-stream.ts';
import type { Exchange } from '../http/exchange.ts';
import type { FixedLimits } from '../http/fixed-limits.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics/metrics.ts';
import type { Overview } from '../observe/overview/overview.ts';
import type { UsageMeter } from '../observe/usage.ts';
import type { Searches } from '../searches/searches.ts';
import { ignoredHeader } from '../wire/reply-json.ts';

export interface GatewayContext {
  readonly config: Config;
  readonly limits: FixedLimits;
  readonly searches: Searches;
  readonly usage: UsageMeter;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly overview: Overview;
  readonly streams: StreamSemaphore;
  readonly bodies: BodyRoom;
  readonly watchers: LogWatchers;
  readonly cluster?: Cluster;
}

const mostNamed = 32;

/** Names ignored fields in the log and in a response header. Clients choose these names, so they are cut and cleaned. */
export function tellIgnored({ log }: GatewayContext, names: readonly string[], exchange?: Exchange): void {
  if (names.length === 0) return;
  const shown = names.slice(0, mostNamed).map((name) => name.slice(0, 64).replace(/[^\w.-]/g, '?'));
  exchange?.response.setHeader(ignoredHeader, shown.join(', '));
  log.info('ignored', { ...(exchange && { id: exchange.id }), fields: shown.join(', ') });
}

/** Refuses new searches while the journal cannot keep them. */
export function requireJournal({ journal }: GatewayContext): void {
  if (journal.trouble !== undefined) throw journalTrouble();
}

/** Writes the journal first: after a crash in between, the search does not resume. */
export async function requestCancel({ journal, searches }: GatewayContext, id: string) {
  const noted = await journal.requestCancel(id).catch(() => 'refused' as const);
  const live = searches.find(id);
  if (live !== undefined) searches.cancel(live);
  return { noted, live };
}
