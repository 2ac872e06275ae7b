// Metrics of what the server stands on: its journal, its connections and its collector. They keep their own counts; these
// are read when somebody asks.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { Journal } from '../../journal/journal.ts';
import type { UsageMeter } from './usage.ts';

export interface ServerParts {
  readonly journal: Journal;
  readonly connections: { readonly open: number; readonly closedForRoom: number };
  readonly telemetry: { readonly counts: { readonly sent: number; readonly dropped: number } };
}

export function addServerMetrics(registry: Registry, { journal, connections, telemetry }: ServerParts): void {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name: `coppice_${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  const count = (name: string, help: string, read: () => number) =>
    new Counter({
      name: `coppice_${name}_total`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  gauge('journal_healthy', '1 while the journal takes writes', () => (journal.trouble === undefined ? 1 : 0));
  gauge('journal_unwritten', 'Writes that are not on disk yet', () => journal.health().unwritten);
  const ageSeconds = () => journal.health().oldestUnwrittenMs / 1000;
  gauge('journal_unwritten_seconds', 'Age of the oldest write that is not on disk yet', ageSeconds);
  gauge('journal_bytes', 'Size of the journal on disk', () => journal.health().bytes);
  count('journal_commits', 'Transactions that are on disk', () => journal.health().commits);
  count('journal_failures', 'Transactions that the disk refused', () => journal.health().failures);
  gauge('connections', 'Open connections', () => connections.open);
  count('connections_closed', 'Connections closed to make room', () => connections.closedForRoom);
  count('telemetry_spans_sent', 'Spans that reached the collector', () => telemetry.counts.sent);
  count('telemetry_spans_dropped', 'Spans that were given up', () => telemetry.counts.dropped);
}

/** What `/v1/usage` says, as counters; the names of keys are those of the configuration. */
export function addKeyMetrics(registry: Registry, usage: UsageMeter): void {
  const perKey = (name: string, help: string, read: (used: Used) => Readonly<Record<string, number>>, label: string) =>
    new Counter({
      name: `coppice_${name}_total`,
      help,
      labelNames: ['key', label],
      registers: [registry],
      collect() {
        this.reset();
        for (const used of usage.view().data) {
          for (const [value, count] of Object.entries(read(used))) this.inc({ key: used.key, [label]: value }, count);
        }
      },
    });
  type Used = ReturnType<UsageMeter['view']>['data'][number];
  const requests = ({ requests: taken, refused }: Used) => ({ taken, refused });
  const tokens = (used: Used) => ({
    prompt: used.prompt_tokens,
    completion: used.completion_tokens,
    verifier: used.verifier_tokens,
  });
  perKey('key_requests', 'Requests by key, and those that its quota refused', requests, 'outcome');
  perKey('key_tokens', 'Tokens by key', tokens, 'class');
}
