// Metrics of the journal, the connections, the shared queue and the keys.

import type { Cluster, Journal } from '@coppice/core/journal';
import type { Registry } from 'prom-client';
import type { Connections } from '../../http/connections.ts';
import type { UsageMeter } from '../usage.ts';
import { ReadMetrics } from './read-metrics.ts';

interface ServerParts {
  readonly journal: Journal;
  readonly connections: Pick<Connections, 'open' | 'closed'>;
}

/** Each node reports the same queue: take the largest value, not the sum. */
export function addSharedQueueMetrics(registry: Registry, cluster: Cluster | undefined): void {
  const shared = new ReadMetrics(registry, [], () => [[{}, cluster]]);
  const same = 'as every node sees it';
  shared.gauge('shared_queue_searches', `Searches that wait between nodes, ${same}`, (it) => it?.waiting() ?? 0);
  const age = `Age of the oldest search that waits between nodes, ${same}`;
  shared.gauge('shared_queue_age_seconds', age, (it) => (it?.queueAgeMs ?? 0) / 1000);
}

export function addServerMetrics(registry: Registry, parts: ServerParts): void {
  const metrics = new ReadMetrics(registry, [], () => [[{}, parts]]);
  metrics.gauge('journal_healthy', '1 while the journal takes writes', ({ journal }) =>
    journal.trouble === undefined ? 1 : 0,
  );
  const health = new ReadMetrics(registry, [], () => [[{}, parts.journal.health()]]);
  health.gauge('journal_unwritten_writes', 'Writes that are not on disk yet', ({ unwritten }) => unwritten);
  const oldest = 'Age of the oldest write that is not on disk yet';
  health.gauge('journal_unwritten_seconds', oldest, ({ oldestUnwrittenMs }) => oldestUnwrittenMs / 1000);
  health.gauge('journal_bytes', 'Size of the journal on disk', ({ bytes }) => bytes);
  health.count('journal_commits', 'Transactions that are on disk', ({ commits }) => commits);
  health.count('journal_failures', 'Transactions that the disk refused', ({ failures }) => failures);
  metrics.gauge('connections', 'Open connections', ({ connections }) => connections.open);
  const closed = new ReadMetrics(registry, ['limit'], () =>
    Object.entries(parts.connections.closed).map(([limit, count]) => [{ limit }, count] as const),
  );
  closed.count('connections_closed', 'Connections that a limit has closed', (count) => count);
}

export function addKeyMetrics(registry: Registry, usage: UsageMeter): void {
  const requests = ({ requests: taken, refused }: Used) => ({ taken, refused });
  const tokens = (used: Used) => ({
    prompt: used.prompt_tokens,
    completion: used.completion_tokens,
    verifier: used.verifier_tokens,
  });
  const taken = new ReadMetrics(registry, ['key', 'outcome'], () => perKey(usage, 'outcome', requests));
  taken.count('key_requests', 'Requests by key, and those that its quota refused', (count) => count);
  const used = new ReadMetrics(registry, ['key', 'class'], () => perKey(usage, 'class', tokens));
  used.count('key_tokens', 'Tokens by key', (count) => count);
}

type Used = ReturnType<UsageMeter['view']>['data'][number];

function* perKey<Label extends string>(
  usage: UsageMeter,
  label: Label,
  read: (used: Used) => Readonly<Record<string, number>>,
): Generator<[Record<'key' | Label, string>, number]> {
  for (const used of usage.view().data) {
    for (const [value, count] of Object.entries(read(used))) {
      yield [{ key: used.key, [label]: value } as Record<'key' | Label, string>, count];
    }
  }
}
