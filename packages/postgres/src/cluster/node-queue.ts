// The queue between nodes, on pg-boss; the only file that knows pg-boss. There is one queue per model and log format, so that a node
// takes only what it can run and read; each is ordered by the searches' turns. A taken job is a lease: it returns to the queue when
// its taker is silent for ten seconds. A job holds the id of its search and nothing else.

import { createHash } from 'node:crypto';
import { assert } from '@coppice/core/base';
import type { OfferedSearch } from '@coppice/core/journal';
import { type LogFormats, logFormats } from '@coppice/core/log';
import { type JobWithMetadata, PgBoss } from 'pg-boss';
import { type DatabaseOptions, databaseFault } from '../journal/connection.ts';

interface NodeQueueOptions extends DatabaseOptions {
  readonly formats?: LogFormats;
}

/** pg-boss's minimum. */
const heartbeatSeconds = 10;
const superviseSeconds = 2;
/** Pause after an empty look at older formats: those queues only fill while nodes of an older version run. */
const lookAgainMs = 2000;
const daySeconds = 86_400;
/** 2026-01-01: turns are seconds since 1970, but a priority has only 32 bits. */
const turnOrigin = 1_767_225_600;
/** Turns that are closer together keep the order of arrival. */
const turnsPerSecond = 10;
const mostPriority = 2 ** 31 - 1;

/** A lease ends by silence, not by age or number of tries; finished jobs are deleted after an hour. */
const queueOptions = {
  heartbeatSeconds,
  expireInSeconds: daySeconds - 1,
  retentionSeconds: 365 * daySeconds,
  deleteAfterSeconds: 3600,
  retryLimit: 1_000_000,
  retryDelay: 0,
} as const;

/** Passed on to `pg`, although pg-boss's types omit them: they end the wait on a dead connection. */
const connection = { query_timeout: 12_000, keepAlive: true };

export class NodeQueue {
  readonly #boss: PgBoss;
  readonly #schema: string;
  readonly #searches: string;
  readonly #formats: LogFormats;
  /** Time of the next look at the queues of older formats, by model. */
  readonly #lookAgainMs = new Map<string, number>();

  private constructor(options: NodeQueueOptions, isMigrating: boolean, onError: (error: Error) => void) {
    this.#formats = options.formats ?? logFormats;
    this.#schema = `${options.schema}_queue`;
    this.#searches = `${options.schema}.searches`;
    this.#boss = new PgBoss({
      connectionString: options.url,
      schema: this.#schema,
      application_name: 'coppice',
      max: 4,
      connectionTimeoutMillis: 5000,
      ...connection,
      migrate: isMigrating,
      createSchema: isMigrating,
      schedule: false,
      supervise: !isMigrating,
      superviseIntervalSeconds: superviseSeconds,
      monitorIntervalSeconds: superviseSeconds,
    });
    this.#boss.on('error', onError);
  }

  /** Creates pg-boss's tables or updates them. */
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
    options: NodeQueueOptions,
    models: readonly string[],
    onError: (error: Error) => void,
  ): Promise<NodeQueue> {
    const queue = new NodeQueue(options, false, onError);
    try {
      await queue.#boss.start();
      for (const format of queue.#formats.reads)
        for (const model of models) await queue.#boss.createQueue(nameOf(model, format), queueOptions);
      return queue;
    } catch (error) {
      await queue.close();
      throw databaseFault(error, options);
    }
  }

  /** Offering a queued search again has no effect. */
  async offer({ id, model, turn }: OfferedSearch, format = this.#formats.writes): Promise<void> {
    await this.#boss.send(nameOf(model, format), { search: id }, { id: jobOf(id), priority: priorityOf(turn) });
  }

  /**
   * Adds leases of searches that already run on this node. Until the second statement a lease is a job that starts in the future, so it
   * returns to the queue even if this node dies in between.
   */
  async hold(model: string, searches: readonly OfferedSearch[]): Promise<void> {
    await this.#hold(
      model,
      searches.map(({ id, turn }) => ({ search: id, priority: priorityOf(turn) })),
    );
  }

  async #hold(model: string, leases: readonly { readonly search: string; readonly priority: number }[]): Promise<void> {
    const jobs = leases.map(({ search, priority }) => {
      return { id: jobOf(search), data: { search }, priority, startAfter: heartbeatSeconds };
    });
    const name = this.#name(model);
    await this.#boss.insert(name, jobs);
    const sql = `update ${this.#schema}.job set state = 'active', started_on = now(), heartbeat_on = now(), start_after = now()
                 where name = $1 and id = any($2::uuid[]) and state = 'created'`;
    await this.#boss.getDb().executeSql(sql, [name, jobs.map(({ id }) => id)]);
  }

  /** Takes the next search, as a lease; undefined if none waits. */
  async take(model: string): Promise<string | undefined> {
    for (const format of this.#formats.reads) {
      const isOlder = format !== this.#formats.writes;
      if (isOlder && performance.now() < (this.#lookAgainMs.get(model) ?? 0)) continue;
      const [job] = await this.#boss.fetch<{ search: string }>(nameOf(model, format), { includeMetadata: true });
      if (job === undefined && isOlder) this.#lookAgainMs.set(model, performance.now() + lookAgainMs);
      if (job === undefined) continue;
      if (isOlder) await this.#adopt(model, format, job);
      return job.data.search;
    }
    return undefined;
  }

  /** Moves the lease to this node's format: from now on the log has that format, and older nodes cannot read it. */
  async #adopt(model: string, format: number, job: JobWithMetadata<{ search: string }>): Promise<void> {
    await this.#hold(model, [{ search: job.data.search, priority: job.priority }]);
    await this.#boss.complete(nameOf(model, format), job.id);
  }

  /** Extends leases. */
  async touch(model: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.touch(this.#name(model), ids.map(jobOf));
  }

  /** Deletes the jobs of ended searches. */
  async complete(model: string, ids: readonly string[]): Promise<void> {
    await this.#boss.complete(this.#name(model), ids.map(jobOf), null, { includeQueued: true });
  }

  /** Returns leases, so that other nodes may take them at once. */
  async giveBack(model: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#boss.fail(this.#name(model), ids.map(jobOf), null);
  }

  /** Offers unfinished searches without a job; their node died between accepting and offering them. */
  async offerOrphans(livingNodes: readonly string[]): Promise<OfferedSearch[]> {
    const sql = `
      select s.id, s.log, s.about::json->>'model' as model, (s.about::json->>'turn')::double precision as turn
      from ${this.#searches} s
      where s.ended_ms is null and (s.background = 1 or s.about::json->>'home' is not null) and not (s.node = any($1))
        and s.log = any($2)
        and not exists (
          select 1 from ${this.#schema}.job j where j.id = substr(s.id, 6)::uuid and j.state < 'completed')
      order by s.id limit 1000`;
    const { rows } = await this.#boss.getDb().executeSql(sql, [livingNodes, this.#formats.reads]);
    const orphans = rows as (OfferedSearch & { readonly log: number })[];
    for (const { id, model, turn, log } of orphans) {
      // A leftover job of the search would block the new one.
      await this.#boss.deleteJob(nameOf(model, log), jobOf(id));
      await this.offer({ id, model, turn: turn ?? 0 }, log);
    }
    return orphans;
  }

  #name(model: string): string {
    return nameOf(model, this.#formats.writes);
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: true }).catch(() => {});
  }
}

function nameOf(model: string, format: number): string {
  return `log${format}_${createHash('sha256').update(model).digest('hex').slice(0, 24)}`;
}

/** The 32 hexadecimal digits of a search's id are its job's id too, so a search has at most one job. */
function jobOf(search: string): string {
  const digits = search.slice('srch_'.length);
  assert(/^[0-9a-f]{32}$/.test(digits), 'a search id ends in 32 hexadecimal digits');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function priorityOf(turn: number): number {
  const priority = Math.round((turnOrigin - turn) * turnsPerSecond);
  return Math.max(-mostPriority, Math.min(mostPriority, priority));
}
