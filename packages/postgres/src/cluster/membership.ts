// The living nodes and the holders of searches: what a node reads and writes at each beat. Times come from the database's clock, so a node with
// a wrong clock counts as alive. It decides nothing.

import type { Clock } from '@coppice/core/base';
import type { LivingNode, Plain, WindowUse } from '@coppice/core/journal';
import pg, { type Pool } from 'pg';
import { clientConfig, type DatabaseOptions } from '../journal/connection.ts';

type NodeFacts = Pick<LivingNode, 'node' | 'version' | 'models'>;

export interface Standing {
  readonly id: string;
  /** The node that runs the search. */
  readonly node: string;
  /** The node whose client waits for the search. */
  readonly home: string | null;
  readonly isEnded: boolean;
  readonly isCancelled: boolean;
}

/** Silence after which other nodes count a node as dead; longer than a job's lease, so that its jobs return first. */
const silentSeconds = 30;

const skewQueries = 3;

export class Membership {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #facts: NodeFacts;
  /** Servers and reports of the nodes at the last full reading. */
  #lastReports: ReadonlyMap<string, Pick<LivingNode, 'servers' | 'report'>> = new Map();

  constructor(options: DatabaseOptions, facts: NodeFacts) {
    this.#pool = new pg.Pool({ ...clientConfig(options), max: 2 });
    this.#pool.on('error', () => {});
    this.#schema = options.schema;
    this.#facts = facts;
  }

  /** `servers`: names of the servers that this node uses now. */
  async beat(report: Plain, servers: readonly string[]): Promise<void> {
    const { node, version, models } = this.#facts;
    const sql = `insert into ${this.#schema}.nodes (node, seen, version, models, servers, report)
                 values ($1, now(), $2, $3, $4, $5)
                 on conflict (node) do update set seen = now(), servers = excluded.servers, report = excluded.report`;
    await this.#pool.query(sql, [node, version, models, servers, JSON.stringify(report)]);
  }

  /**
   * Every node reads about every node, so the amount grows with their square. Servers and reports are most of it: they are read only if
   * `isWhole`, or if a node is new.
   */
  async living(isWhole = true): Promise<LivingNode[]> {
    const reported = isWhole ? 'servers, report::json,' : '';
    const sql = `select node, version, models, ${reported}
                   (extract(epoch from now() - seen) * 1000)::double precision as "silentMs"
                 from ${this.#schema}.nodes where seen > now() - interval '${silentSeconds} s' order by node`;
    const { rows } = await this.#pool.query(sql);
    if (isWhole) this.#lastReports = new Map(rows.map(({ node, servers, report }) => [node, { servers, report }]));
    else if (!rows.every(({ node }) => this.#lastReports.has(node))) return this.living();
    return rows.map((row) => ({ ...row, ...this.#lastReports.get(row.node) }));
  }

  /** Milliseconds by which the database's clock is ahead; the error is at most half the shortest round trip of a few queries. */
  async skewMs(clock: Clock): Promise<number> {
    const sql = 'select (extract(epoch from clock_timestamp()) * 1000)::double precision as ms';
    const found: { readonly takenMs: number; readonly skewMs: number }[] = [];
    for (let asked = 0; asked < skewQueries; asked += 1) {
      const askedMs = clock.nowMs();
      const { rows } = await this.#pool.query(sql);
      const takenMs = clock.nowMs() - askedMs;
      found.push({ takenMs, skewMs: Number(rows[0]?.ms) - askedMs - takenMs / 2 });
    }
    return found.reduce((best, each) => (each.takenMs < best.takenMs ? each : best)).skewMs;
  }

  async lives(node: string): Promise<boolean> {
    const sql = `select 1 from ${this.#schema}.nodes where node = $1 and seen > now() - interval '${silentSeconds} s'`;
    return (await this.#pool.query(sql, [node])).rows.length > 0;
  }

  /** Searches in the queue between nodes, by owner. Background work on idle capacity is not counted. */
  async waiting(): Promise<Map<string, number>> {
    const sql = `select owner, count(*)::integer as count from ${this.#schema}.searches
                 where ended_ms is null and state = 'queued' and about::json->>'idle' is null
                   and (background = 1 or about::json->>'home' is not null)
                 group by owner`;
    return new Map((await this.#pool.query(sql)).rows.map(({ owner, count }) => [owner, count]));
  }

  /** Wait of the oldest search in the queue between nodes. */
  async queueAgeMs(): Promise<number> {
    const sql = `select coalesce(extract(epoch from now()) * 1000 - min(created_ms), 0)::double precision as age
                 from ${this.#schema}.searches
                 where ended_ms is null and state = 'queued' and about::json->>'idle' is null
                   and (background = 1 or about::json->>'home' is not null)`;
    return Math.max(0, Number((await this.#pool.query(sql)).rows[0]?.age));
  }

  /** Writes this node's usage and returns that of the other nodes in the same windows. */
  async shareUsage(own: readonly WindowUse[]): Promise<WindowUse[]> {
    if (own.length === 0) return [];
    const rows = `json_to_recordset($1) as own ("key" text, "spanMs" float8, "windowMs" float8, requests bigint, tokens bigint)`;
    const write = `insert into ${this.#schema}.usage (key, span_ms, window_ms, node, requests, tokens)
                   select "key", "spanMs", "windowMs", $2, requests, tokens from ${rows}
                   on conflict (key, span_ms, window_ms, node)
                   do update set requests = excluded.requests, tokens = excluded.tokens`;
    await this.#pool.query(write, [JSON.stringify(own), this.#facts.node]);
    const read = `select used.key, used.span_ms as "spanMs", used.window_ms as "windowMs",
                    sum(used.requests)::float8 as requests, sum(used.tokens)::float8 as tokens
                  from ${this.#schema}.usage used
                  join ${rows} on used.key = own."key" and used.span_ms = own."spanMs" and used.window_ms = own."windowMs"
                  where used.node <> $2 group by 1, 2, 3`;
    return (await this.#pool.query(read, [JSON.stringify(own), this.#facts.node])).rows;
  }

  async forgetUsage(): Promise<void> {
    const nowMs = 'extract(epoch from now()) * 1000';
    await this.#pool.query(`delete from ${this.#schema}.usage where window_ms + span_ms < ${nowMs}`);
  }

  async standings(ids: readonly string[]): Promise<Standing[]> {
    if (ids.length === 0) return [];
    const sql = `select id, node, about::json->>'home' as home, ended_ms is not null as "isEnded",
                   cancel_requested = 1 as "isCancelled"
                 from ${this.#schema}.searches where id = any($1)`;
    return (await this.#pool.query(sql, [ids])).rows;
  }

  /** Unfinished searches whose client waited at a dead node, and that cannot move: a living node has to end them. */
  async abandoned(living: readonly string[]): Promise<string[]> {
    const sql = `select id from ${this.#schema}.searches
                 where ended_ms is null and background = 0 and about::json->>'home' is null and not (node = any($1))
                 order by id limit 100`;
    return (await this.#pool.query(sql, [living])).rows.map(({ id }) => String(id));
  }

  /** Deletes this node's row, and those of nodes silent for a day. */
  async leave(): Promise<void> {
    const sql = `delete from ${this.#schema}.nodes where node = $1 or seen < now() - interval '1 day'`;
    await this.#pool.query(sql, [this.#facts.node]);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
