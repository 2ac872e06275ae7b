// The journal's write statements. Each takes a whole batch as one JSON array: one round trip for a hundred searches. They hold the fence:
// entries are inserted only for searches that this writer claimed at this epoch (the name is checked too, since entries sent after a late
// claim carry another writer's epoch), that have not ended, and whose log has no gap before them. `for share` blocks a claim until they are
// stored. `append` skips entries of an earlier try, which `readEntries` finds; a search ends only with a complete log.

import { pageChars } from '@coppice/core/journal';

export interface PostgresStatements {
  readonly accept: string;
  readonly findIdempotent: string;
  readonly claim: string;
  readonly isClaimed: string;
  readonly begin: string;
  readonly outlive: string;
  readonly append: string;
  readonly readEntries: string;
  readonly finish: string;
  readonly isFinished: string;
  readonly eraseTexts: string;
  readonly cancel: string;
  readonly retract: string;
  readonly find: string;
  readonly list: string;
  readonly listSession: string;
  readonly ended: string;
  readonly unfinished: string;
  readonly fail: string;
  readonly read: string;
  readonly sweep: string;
  readonly remove: string;
  readonly size: string;
  readonly probe: string;
}

/** The first rows, up to `pageChars` characters. */
export function boundedPage(rows: string, order: string, chars: string): string {
  const before = `coalesce(sum(${chars}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`;
  const counted = `select *, ${before} as chars_before from (${rows}) as next`;
  return `select * from (${counted}) as counted where chars_before < ${pageChars} order by ${order}`;
}

const entryColumns = 'search text, sequence integer, epoch integer, at_ms double precision, body text, texts text';

export function makeStatements(schema: string): PostgresStatements {
  const [searches, events] = [`${schema}.searches`, `${schema}.events`];
  return {
    ...beginning(searches),
    ...growing(searches, events),
    ...ending(searches, events),
    ...reading(searches, events),
    probe: `update ${schema}.meta set version = version`,
  };
}

/** Statements from acceptance to claim. */
function beginning(searches: string) {
  return {
    accept: `insert into ${searches} (id, owner, idempotency, fingerprint, background, state, epoch, cancel_requested,
               node, log, created_ms, session, about, title, request)
             select id, owner, idempotency, fingerprint, background, 'queued', 0, 0, $2, $3, created_ms, session, about,
               title, request
             from json_to_recordset($1::json) as w(place integer, id text, owner text, idempotency text, fingerprint text,
               background smallint, created_ms double precision, session text, about text, title text, request text)
             order by place on conflict do nothing returning id`,
    findIdempotent: `select s.id, s.owner, s.idempotency, s.fingerprint from ${searches} s
             join json_to_recordset($1::json) as w(id text, owner text, idempotency text)
               on s.id = w.id or (s.owner = w.owner and s.idempotency = w.idempotency)`,
    claim: `update ${searches} s
            set epoch = s.epoch + 1, state = 'running', node = $2, log = $3, started_ms = coalesce(s.started_ms, w.at_ms)
            from json_to_recordset($1::json) as w(id text, epoch integer, at_ms double precision)
            where s.id = w.id and s.epoch = w.epoch and s.ended_ms is null and s.log = any($4) returning s.id`,
    isClaimed: `select s.id from ${searches} s join json_to_recordset($1::json) as w(id text, epoch integer) on s.id = w.id
            where s.epoch = w.epoch + 1 and s.node = $2`,
    begin: `update ${searches} s set runs = w.runs from json_to_recordset($1::json) as w(id text, epoch integer, runs integer)
            where s.id = w.id and s.epoch = w.epoch and s.node = $2 and s.ended_ms is null returning s.id`,
    outlive: `update ${searches} set runs = greatest(runs - 1, 0) where id = any($1) and ended_ms is null returning id`,
  };
}

function growing(searches: string, events: string) {
  return {
    append: `with entries as materialized (select * from json_to_recordset($1::json) as e(${entryColumns})),
               heads as (select search, epoch, min(sequence) as head from entries group by search, epoch),
               mine as (
                 select s.id, h.head, n.next from ${searches} s join heads h on s.id = h.search and s.epoch = h.epoch
                   cross join lateral (
                     select coalesce(max(e.sequence), -1) + 1 as next from ${events} e where e.search = s.id) n
                 where s.ended_ms is null and s.node = $2 and h.head <= n.next
                 for share of s),
               stored as (
                 insert into ${events} (search, sequence, epoch, at_ms, body, texts)
                 select e.search, e.sequence, e.epoch, e.at_ms, e.body, e.texts
                 from entries e join mine on mine.id = e.search where e.sequence >= mine.next
                 on conflict do nothing returning search)
             select search as id, count(*)::integer as count from stored group by search`,
    readEntries: `select w.search as id, w.sequence, e.epoch = w.epoch and s.epoch = w.epoch and s.node = $2 as mine,
               e.body = w.body as same
             from json_to_recordset($1::json) as w(${entryColumns})
             join ${events} e on e.search = w.search and e.sequence = w.sequence join ${searches} s on s.id = w.search`,
  };
}

function ending(searches: string, events: string) {
  return {
    finish: `update ${searches} s set state = w.state, ended_ms = w.ended_ms, outcome = w.outcome, texts = w.texts,
               title = case when $2 then null else s.title end, request = case when $2 then null else s.request end
             from json_to_recordset($1::json) as w(id text, epoch integer, state text, ended_ms double precision,
               outcome text, texts text, last integer)
             where s.id = w.id and s.epoch = w.epoch and s.node = $3 and s.ended_ms is null and (w.last is null or w.last =
               (select coalesce(max(e.sequence), -1) from ${events} e where e.search = s.id)) returning s.id`,
    isFinished: `select s.id from ${searches} s
             join json_to_recordset($1::json) as w(id text, epoch integer, state text, ended_ms double precision, outcome text)
               on s.id = w.id
             where s.epoch = w.epoch and s.node = $2 and s.state = w.state and s.ended_ms = w.ended_ms and s.outcome = w.outcome`,
    eraseTexts: `update ${events} set texts = null where search = any($1) and texts is not null`,
    cancel: `update ${searches} set cancel_requested = 1 where id = any($1) and ended_ms is null returning id`,
    // Stores a cancelled row whether or not the acceptance was stored: a late acceptance then finds its id taken.
    retract: `with tombs as (
                insert into ${searches} as s (id, owner, fingerprint, background, state, epoch, cancel_requested, node, log,
                  created_ms, ended_ms, about)
                select id, owner, fingerprint, background, 'cancelled', 0, 1, $2, $3, created_ms, created_ms, about
                from json_to_recordset($1::json) as w(id text, owner text, fingerprint text, background smallint,
                  created_ms double precision, about text)
                on conflict (id) do update set state = 'cancelled', ended_ms = s.created_ms, idempotency = null,
                  title = null, request = null, cancel_requested = 1 where s.epoch = 0 and s.ended_ms is null)
              update ${searches} set cancel_requested = 1
              where epoch > 0 and ended_ms is null and id in (select id from json_to_recordset($1::json) as w(id text))
              returning id`,
  };
}

/** Statements outside the writer; retention is among them. */
function reading(searches: string, events: string) {
  const listed = `select id, owner, idempotency, fingerprint, background, state, epoch, cancel_requested, created_ms,
             started_ms, ended_ms, session, about, title, outcome, texts from ${searches}
           where ($1::text is null or owner = $1) and ($2::text[] is null or state = any($2)) and id < $3`;
  return {
    find: `select * from ${searches} where id = $1`,
    list: `${listed} order by id desc limit $4`,
    listSession: `${listed} and (session = $5 or id = $5) order by id desc limit $4`,
    ended: `select id, owner, state, created_ms, ended_ms, about, outcome from ${searches}
            where ended_ms is not null and ended_ms >= $1 and (ended_ms, id) < ($2, $3) and ($4::text is null or owner = $4)
            order by ended_ms desc, id desc limit $5`,
    unfinished: `select * from ${searches} where ended_ms is null order by id`,
    fail: `update ${searches} set state = 'failed', ended_ms = extract(epoch from clock_timestamp()) * 1000,
             outcome = coalesce(outcome, $2)
           where id = $1 and ended_ms is null`,
    read: boundedPage(
      `select sequence, at_ms, body, texts from ${events} where search = $1 and sequence > $2 order by sequence limit $3`,
      'sequence',
      'length(body) + coalesce(length(texts), 0)',
    ),
    sweep: `with gone as (
              select id from ${searches} where ended_ms is not null and (ended_ms < $1 or id in (
                select id from ${searches} where ended_ms is not null order by ended_ms
                limit greatest(0, (select count(*) from ${searches}) - $2)))
              order by ended_ms limit $3 for update skip locked),
            logs as (delete from ${events} where search in (select id from gone))
            delete from ${searches} where id in (select id from gone)`,
    remove: `with gone as (select id from ${searches} where id = $1 and ended_ms is not null for update),
             logs as (delete from ${events} where search in (select id from gone))
             delete from ${searches} where id in (select id from gone)`,
    size: `select (pg_total_relation_size('${searches}') + pg_total_relation_size('${events}'))::double precision as bytes`,
  };
}
