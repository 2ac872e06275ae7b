// The queue between nodes, on pg-boss; the only file that knows it. One queue per model and format of log, so that a node
// takes only what it can run and read; in it the order is the searches' turns. A job that was taken is a lease: it comes
// back by itself when its taker is silent for ten seconds. A job names a search and holds nothing else.

import { createHash } from 'node:crypto';
import { type Job, PgBoss } from 'pg-boss';
import { assert } from '../base/assert.ts';
import { type DatabaseOptions, databaseFault } from '../journal/postgres/connection.ts';

export interface OfferedSearch {
  readonly id: string;
  readonly model: string;
  /** Lower goes first. */
  readonly turn: number;
}

/** Raised when older nodes could not go on from a log that this one writes. */
const logFormat = 1;
/** The least that pg-boss allows. */
const heartbeatSeconds = 10;
const superviseSeconds = 2;
const daySeconds = 86_400;
/** 2026-01-01: turns are seconds since 1970, and a priority has 32 bits. */
const turnOrigin = 1_767_225_600;
/** Turns closer together than this stand in order of arrival. */
const turnsPerSecond = 10;
const mostPriority = 2 ** 31 - 1;

/** A lease ends by silence, not by age or number; what is done is deleted after an hour. */
const queueOptions = {
  heartbeatSeconds,
  expireInSeconds: daySeconds - 1,
  retentionSeconds: 365 * daySeconds,
  deleteAfterSeconds: 3600,
  retryLimit: 1_000_000,
  retryDelay: 0,
} as const;

export class NodeQueue {
  readonly #boss: PgBoss;
  readonly #schema: string;
  readonly #searches: string;

  private constructor(options: DatabaseOptions, isMigrating: boolean, onError: (error: Error) => void) {
    this.#schema = `${options.schema}_queue`;
    this.#searches = `${options.schema}.searches`;
    this.#boss = new PgBoss({
      ...{ connectionString: options.url, schema: this.#schema, application_name: 'coppice', max: 4 },
      // A connection that goes nowhere is not waited for.
      ...{ query_timeout: 12_000, keepAlive: true },
      ...{ connectionTimeoutMillis: 5000, migrate: isMigrating, createSchema: isMigrating, schedule: false },
      ...{
        supervise: !isMigrating,
        superviseIntervalSeconds: superviseSeconds,
        monitorIntervalSeconds: superviseSeconds,
      },
    });
    this.#boss.on('error', onError);
  }

  /** Makes its tables, or brings them up to date. */
  static async migrate(options: DatabaseOptions): Promise<void> {
    const queue = new NodeQueue(options, true, () => {});
    try {
      await queue.#boss.start();
    } catch (error) {
      throw databaseFault(error, options);
    } finally {
      await queue.close();
    }
  }

  static async open(
    options: DatabaseOptions,
    models: readonly string[],
    onError: (error: Error) => void,
  ): Promise<NodeQueue> {
    const queue = new NodeQueue(options, false, onError);
    try {
      await queue.#boss.start();
      for (const model of models) await queue.#boss.createQueue(nameOf(model), queueOptions);
      return queue;
    } catch (error) {
      await queue.close();
      throw databaseFault(error, options);
    }
  }

  /** Offering what is in the queue already changes nothing. */
  async offer({ id, model, turn }: OfferedSearch): Promise<void> {
    await this.#boss.send(nameOf(model), { search: id }, { id: jobOf(id), priority: priorityOf(turn) });
  }

  /**
   * These run already, on this node: as if it had offered and taken them. Until the second statement the others see jobs that
   * begin in the future, so that they come back even if this node dies in between.
   */
  async hold(model: string, searches: readonly OfferedSearch[]): Promise<void> {
    const jobs = searches.map(({ id, turn }) => {
      return { id: jobOf(id), data: { search: id }, priority: priorityOf(turn), startAfter: heartbeatSeconds };
    });
    await this.#boss.insert(nameOf(model), jobs);
    const sql = `update ${this.#schema}.job set state = 'active', started_on = now(), heartbeat_on = now(), start_after = now()
                 where name = $1 and id = any($2::uuid[]) and state = 'created'`;
    await this.#boss.getDb().executeSql(sql, [nameOf(model), jobs.map(({ id }) => id)]);
  }

  /** The search whose turn it is, as a lease; undefined where none waits. */
  async take(model: string): Promise<string | undefined> {
    const [job]: Job<{ search: string }>[] = await this.#boss.fetch(nameOf(model));
    return job?.data.search;
  }

  /** Keeps the leases of these. */
  async touch(model: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.touch(nameOf(model), ids.map(jobOf));
  }

  /** They have ended, whoever held them. */
  async complete(model: string, ids: readonly string[]): Promise<void> {
    await this.#boss.complete(nameOf(model), ids.map(jobOf), null, { includeQueued: true });
  }

  /** Others may take it at once. */
  async giveBack(model: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.fail(nameOf(model), ids.map(jobOf), null);
  }

  /** Offers searches that have no end and no job, because whoever accepted them died in between. */
  async offerOrphans(livingNodes: readonly string[]): Promise<OfferedSearch[]> {
    const sql = `
      select s.id, s.about::json->>'model' as model, (s.about::json->>'turn')::double precision as turn, j.id as job
      from ${this.#searches} s
      left join ${this.#schema}.job j on j.id = substr(s.id, 6)::uuid
      where s.ended_ms is null and (s.background = 1 or s.about::json->>'home' is not null) and not (s.node = any($1))
        and (j.id is null or j.state in ('completed', 'cancelled', 'failed'))
      order by s.id limit 1000`;
    const { rows } = await this.#boss.getDb().executeSql(sql, [livingNodes]);
    const orphans = rows as (OfferedSearch & { readonly job: string | null })[];
    for (const { id, model, turn, job } of orphans) {
      if (job !== null) await this.#boss.deleteJob(nameOf(model), job);
      await this.offer({ id, model, turn: turn ?? 0 });
    }
    return orphans;
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: true }).catch(() => {});
  }
}

function nameOf(model: string): string {
  return `log${logFormat}_${createHash('sha256').update(model).digest('hex').slice(0, 24)}`;
}

/** The 32 hexadecimal digits of a search's id are an id for its job too: a search cannot have two. */
function jobOf(search: string): string {
  const digits = search.slice('srch_'.length);
  assert(/^[0-9a-f]{32}$/.test(digits), 'a search id ends in 32 hexadecimal digits');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function priorityOf(turn: number): number {
  const priority = Math.round((turnOrigin - turn) * turnsPerSecond);
  return Math.max(-mostPriority, Math.min(mostPriority, priority));
}
