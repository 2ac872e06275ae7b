// Who is alive, and who has which search: what a node writes and reads every few seconds. Times are the database's own, so
// that a node whose clock is wrong counts as alive all the same. It decides nothing.

import pg, { type Pool } from 'pg';
import { clientConfig, type DatabaseOptions } from '../journal/postgres/connection.ts';

export interface NodeFacts {
  readonly node: string;
  readonly version: string;
  readonly models: readonly string[];
}

/** How a search that is held here stands in the table. */
export interface Standing {
  readonly id: string;
  /** The one that has it. */
  readonly node: string;
  /** The one whose client waits for it. */
  readonly home: string | null;
  readonly isEnded: boolean;
  readonly isCancelled: boolean;
}

/** A node that was silent for longer is dead to the others; longer than the lease of a job, so that jobs come back first. */
const silentSeconds = 30;

export class Membership {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #facts: NodeFacts;

  constructor(options: DatabaseOptions, facts: NodeFacts) {
    this.#pool = new pg.Pool({ ...clientConfig(options), max: 2 });
    this.#pool.on('error', () => {});
    this.#schema = options.schema;
    this.#facts = facts;
  }

  async beat(): Promise<void> {
    const { node, version, models } = this.#facts;
    const sql = `insert into ${this.#schema}.nodes (node, seen, version, models) values ($1, now(), $2, $3)
                 on conflict (node) do update set seen = now()`;
    await this.#pool.query(sql, [node, version, models]);
  }

  async living(): Promise<string[]> {
    const sql = `select node from ${this.#schema}.nodes where seen > now() - interval '${silentSeconds} s'`;
    return (await this.#pool.query(sql)).rows.map(({ node }) => String(node));
  }

  async standings(ids: readonly string[]): Promise<Standing[]> {
    if (ids.length === 0) return [];
    const sql = `select id, node, about::json->>'home' as home, ended_ms is not null as "isEnded",
                   cancel_requested = 1 as "isCancelled"
                 from ${this.#schema}.searches where id = any($1)`;
    return (await this.#pool.query(sql, [ids])).rows;
  }

  /** Searches that a client of a dead node waited for, and that could not move: somebody has to end them. */
  async abandoned(living: readonly string[]): Promise<string[]> {
    const sql = `select id from ${this.#schema}.searches
                 where ended_ms is null and background = 0 and about::json->>'home' is null and not (node = any($1))
                 order by id limit 100`;
    return (await this.#pool.query(sql, [living])).rows.map(({ id }) => String(id));
  }

  /** Forgets this node, and those that have been silent for a day. */
  async leave(): Promise<void> {
    const sql = `delete from ${this.#schema}.nodes where node = $1 or seen < now() - interval '1 day'`;
    await this.#pool.query(sql, [this.#facts.node]);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}
