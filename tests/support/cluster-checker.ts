// Checks the tables of a cluster with its own SQL, and reports what is wrong: searches that are lost, ended without a result or
// twice, logs with holes, writes of a node that had lost its search, results that differ from the log.

import pg from 'pg';
import type { Loose } from './loose.ts';

export interface ClusterFindings {
  readonly searches: number;
  readonly events: number;
  /** Searches that were claimed more than once. */
  readonly moved: number;
  readonly problems: readonly string[];
}

export async function checkCluster(url: string, schema: string): Promise<ClusterFindings> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const searches = (await client.query(`select * from ${schema}.searches order by id`)).rows as Loose[];
    const events = (await client.query(`select * from ${schema}.events order by search, sequence`)).rows as Loose[];
    const logs = Map.groupBy(events, ({ search }) => String(search));
    const problems = searches.flatMap((search) => problemsOf(search, logs.get(search.id) ?? []));
    const known = new Set(searches.map(({ id }) => String(id)));
    for (const id of logs.keys()) if (!known.has(id)) problems.push(`${id}: a log without a search`);
    const moved = searches.filter(({ epoch }) => epoch > 1).length;
    return { searches: searches.length, events: events.length, moved, problems };
  } finally {
    await client.end();
  }
}

function problemsOf(search: Loose, log: readonly Loose[]): string[] {
  const problems: string[] = [];
  const find = (isWrong: boolean, what: string) => isWrong && problems.push(`${search.id}: ${what}`);
  const entries = log.flatMap(({ body }) => {
    const { more = [], ...first } = JSON.parse(body) as Loose;
    return [first, ...more] as Loose[];
  });
  const exits = entries.filter(({ type }) => type === 'exited');
  const draws = entries
    .filter(({ type }) => type === 'grown' || type === 'merged')
    .map(({ parent, index }) => `${parent}/${index}`);
  const outcome = JSON.parse(search.outcome ?? '{}') as Loose;
  find(search.ended_ms === null, `has no end, ${search.state}`);
  find(
    log.some(({ sequence }, at) => sequence !== at),
    'its log has a hole',
  );
  find(
    log.some(({ epoch }, at) => at > 0 && epoch < log[at - 1]!.epoch),
    'an older epoch wrote after a newer one',
  );
  find(
    log.some(({ epoch }) => epoch > search.epoch),
    'an epoch wrote that no node was given',
  );
  find(new Set(draws).size !== draws.length, 'a draw was folded twice');
  find(search.state === 'done' && exits.length !== 1, `${exits.length} exits in its log`);
  find(exits.length > 1, 'it ended twice');
  if (search.state === 'done' && exits.length === 1) {
    const isSame = JSON.stringify(outcome.exit) === JSON.stringify(exits[0]?.exit);
    find(!isSame, 'its result is not what its log says');
  }
  return problems;
}
