// A node's access to the database, in the interfaces of the production journal and cluster: the writer's store, reads, the bell, the queue
// between nodes and the list of living nodes. A call leaves when the node's core is free, and its answer waits for the core too.

import type { Timers } from '@coppice/core/base';
import type { PostgresCluster } from '@coppice/postgres/cluster';
import type { PostgresJournal } from '@coppice/postgres/journal';
import type { Database } from './database.ts';
import type { SearchRow } from './journal-tables.ts';

type JournalEars = Parameters<ConstructorParameters<typeof PostgresJournal>[2]>[0];
export type JournalParts = ReturnType<ConstructorParameters<typeof PostgresJournal>[2]>;
type ClusterParts = ConstructorParameters<typeof PostgresCluster>[0];

/** The process that calls. */
export interface CallingNode {
  readonly name: string;
  readonly timers: Timers;
  readonly database: Database;
  readonly servers: readonly string[];
  /** When what it sends now leaves. */
  leavesMs(): number;
  run(callback: () => void): void;
  ring(message: RungMessage): void;
}

export type RungMessage = Parameters<JournalParts['bell']['ring']>[0];

const model = 'm';

function call<Result>(node: CallingNode, writes: number, apply: (database: Database) => Result): Promise<Result> {
  return new Promise((resolve) => {
    node.database.call(
      node.leavesMs(),
      writes,
      () => apply(node.database),
      (result) => node.run(() => resolve(result)),
    );
  });
}

export function journalParts(node: CallingNode, hearBy: (ears: JournalEars) => void, ears: JournalEars): JournalParts {
  hearBy(ears);
  return {
    store: {
      isLocal: false,
      commit: (writes) =>
        call(node, writes.length, (database) => writes.map((each) => database.apply(each, node.name))),
      probe: async () => {},
      close: async () => {},
    },
    timers: node.timers,
    documents: undefined as never,
    run: async (name, values) => {
      const rows = await call(node, 0, (database) => read(database, name, values));
      return { rows: rows as unknown as Readonly<Record<string, unknown>>[], rowCount: rows.length };
    },
    bell: { open: async () => {}, ring: (message) => node.ring(message), close: async () => {} },
    close: async () => {},
  };
}

function read(database: Database, name: string, values: readonly unknown[]): readonly object[] {
  const { rows, events } = database;
  switch (name) {
    case 'read': {
      const [search, after, limit] = values as [string, number, number];
      return (events.get(search) ?? []).slice(after + 1, after + 1 + limit);
    }
    case 'find': {
      const row = rows.get(String(values[0]));
      return row === undefined ? [] : [{ ...row }];
    }
    case 'unfinished':
      return database.unendedRows().map((row) => ({ ...row }));
    default:
      return [];
  }
}

export function queueOf(node: CallingNode): ClusterParts['queue'] {
  return {
    offer: ({ id, turn }) => call(node, 1, (database) => database.offer(id, turn)),
    hold: (_, searches) =>
      call(node, searches.length, (database) => {
        for (const { id, turn } of searches) database.offer(id, turn, node.name);
      }),
    take: () => call(node, 0, (database) => database.take(node.name)),
    touch: (_, ids) => call(node, 0, (database) => database.touch(ids)),
    complete: (_, ids) => call(node, ids.length, (database) => database.complete(ids)),
    giveBack: (_, ids) => call(node, ids.length, (database) => database.giveBack(ids)),
    offerOrphans: (living) => call(node, 0, (database) => offerOrphans(database, living)),
    close: async () => {},
  };
}

function offerOrphans(database: Database, living: readonly string[]) {
  const orphans = database
    .deserted(living)
    .filter(({ id, background, home }) => (background === 1 || home !== undefined) && !database.hasLease(id))
    .map(({ id, turn }) => ({ id, model, turn }));
  for (const { id, turn } of orphans) database.offer(id, turn);
  return orphans;
}

export function membershipOf(node: CallingNode): ClusterParts['membership'] {
  const { name, servers } = node;
  const facts = { version: '', models: [model], report: {}, silentMs: 0 };
  return {
    beat: () => call(node, 1, ({ nodes }) => void nodes.set(name, { seenMs: node.timers.nowMs(), servers })),
    living: () =>
      call(node, 0, (database) =>
        database.living().map((each) => ({ node: each, ...facts, servers: database.nodes.get(each)!.servers })),
      ),
    skewMs: async () => 0,
    lives: (each) => call(node, 0, (database) => database.living().includes(each)),
    waiting: () => call(node, 0, (database) => database.waitingByOwner()),
    queueAgeMs: () => call(node, 0, (database) => database.queueAgeMs()),
    shareUsage: (used) =>
      call(node, used.length, ({ usage }) => {
        usage.set(name, new Map(used.map((each) => [each.key, { ...each }])));
        return used.map((each) => {
          const others = [...usage].filter(([other]) => other !== name).map(([, keys]) => keys.get(each.key));
          const same = others.filter((other) => other?.windowMs === each.windowMs);
          const sum = (of: 'requests' | 'tokens') => same.reduce((total, other) => total + other![of], 0);
          return { ...each, requests: sum('requests'), tokens: sum('tokens') };
        });
      }),
    forgetUsage: async () => {},
    standings: (ids) =>
      call(node, 0, ({ rows }) =>
        ids.flatMap((id) => {
          const row = rows.get(id);
          return row === undefined ? [] : [standingOf(row)];
        }),
      ),
    abandoned: (living) =>
      call(node, 0, (database) =>
        database
          .deserted(living)
          .filter(({ background, home }) => background === 0 && home === undefined)
          .map(({ id }) => id),
      ),
    leave: async () => {},
    close: async () => {},
  };
}

function standingOf({ id, node, home, ended_ms, cancel_requested }: SearchRow) {
  return { id, node, home: home ?? null, isEnded: ended_ms !== null, isCancelled: cancel_requested === 1 };
}
