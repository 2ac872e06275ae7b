// Holds what clients saw against the tables, and what they were told against each other. The tables are one more teller: a search
// of whose end two tellers say different things was told two results. It reads, and never asks a node.

import { checkCluster } from '../../support/cluster-checker.ts';
import type { Loose } from '../../support/loose.ts';
import type { Asked, StormRecord } from './storm-record.ts';
import { usageOf } from './storm-world.ts';
import { query } from './takeovers.ts';

/** Each must be empty. */
export interface StormFaults {
  /** Acknowledged, and not there, or not done. */
  readonly lost: string[];
  readonly doubled: string[];
  readonly truncated: string[];
  readonly 'two results': string[];
  /** Answers and streams that broke off on a node that lives. */
  readonly broken: string[];
  /** Rows that never end, or that ran although their client was refused. */
  readonly ghosts: string[];
  /** Clients that never got an answer. */
  readonly stuck: string[];
}

export interface Judgement {
  readonly searches: number;
  readonly events: number;
  readonly moved: number;
  /** Whose acceptance was taken back. */
  readonly retracted: number;
  readonly faults: StormFaults;
}

const rowsQuery = `select id, state, epoch, node, outcome, texts, request::json->'body'->>'seed' as seed,
  (select count(*)::integer from coppice.events e where e.search = s.id) as entries from coppice.searches s`;

export async function judge(url: string, record: StormRecord): Promise<Judgement> {
  const rows = await query(url, rowsQuery);
  const { searches, events, moved, problems } = await checkCluster(url, 'coppice');
  const of = (kind: string) => record.problems.filter((each) => each.kind === kind).map(({ what }) => what);
  const faults: StormFaults = {
    lost: of('lost'),
    doubled: problems.filter((each) => /twice/.test(each)),
    truncated: [...of('truncated'), ...problems.filter((each) => !/twice|has no end/.test(each))],
    'two results': of('two results'),
    broken: of('broken'),
    ghosts: problems.filter((each) => /has no end/.test(each)),
    stuck: of('stuck'),
  };
  judgeAsked(record, rows, faults);
  judgeTold(record, rows, faults);
  const retracted = rows.filter(({ state, epoch, seed }) => state === 'cancelled' && epoch === 0 && seed === null);
  return { searches, events, moved, retracted: retracted.length, faults };
}

function judgeAsked(record: StormRecord, rows: readonly Loose[], faults: StormFaults): void {
  const bySeed = Map.groupBy(rows, ({ seed }) => Number(seed ?? Number.NaN));
  for (const [seed, asked] of record.asked) {
    const made = bySeed.get(seed) ?? [];
    const name = `${asked.kind} ${seed}`;
    if (made.length > 1) faults.doubled.push(`${name}: ${made.map(({ id }) => id).join(', ')}`);
    const [row] = made;
    const wish = fault(asked, row);
    if (wish !== undefined) faults[wish.kind].push(`${name}: ${wish.what}`);
  }
}

/** What became of a request against what its client knows. */
function fault(asked: Asked, row: Loose | undefined): { kind: 'lost' | 'ghosts'; what: string } | undefined {
  const is = row === undefined ? 'not there' : `${row.state} at epoch ${row.epoch}, ${row.id}${errorOf(row)}`;
  if (asked.fate === 'acknowledged') {
    // Two nodes were killed while they ran it, and it got no answer in between.
    const isSetAside = row?.state === 'failed' && errorOf(row).includes('2 processes died');
    const isWell = row?.state === 'done' || isSetAside || (row?.state === 'cancelled' && asked.mayBeCancelled);
    return isWell ? undefined : { kind: 'lost', what: `acknowledged, and ${is}` };
  }
  if (asked.fate === 'answered' && row === undefined) return { kind: 'lost', what: 'answered, and not there' };
  const isGhost = asked.fate === 'refused' && row !== undefined && (row.state === 'done' || row.epoch > 0);
  return isGhost ? { kind: 'ghosts', what: `refused (${asked.why}), and ${is}` } : undefined;
}

function errorOf({ outcome, node }: Loose): string {
  const { error } = JSON.parse(outcome ?? '{}') as Loose;
  return error === undefined ? '' : `, ${error.code}: ${error.message} (${node})`;
}

function judgeTold(record: StormRecord, rows: readonly Loose[], faults: StormFaults): void {
  const byId = new Map(rows.map((row) => [String(row.id), row]));
  for (const [id, count] of record.logs) {
    const { entries } = byId.get(id) ?? {};
    if (entries !== count) faults.truncated.push(`${id}: ${count} entries were read of ${entries}`);
  }
  for (const [id, said] of record.said) {
    const row = byId.get(id);
    if (row === undefined) {
      faults.lost.push(`${id}: its end was told, and it is not there`);
      continue;
    }
    for (const [field, values] of said) {
      const stored = JSON.stringify(storedOf(row, field) ?? null);
      if (!values.has(stored)) values.set(stored, 'the tables');
      if (values.size > 1) faults['two results'].push(`${id} (${row.state}): ${field} is ${differing(values)}`);
    }
  }
}

function differing(values: ReadonlyMap<string, string>): string {
  return [...values].map(([value, by]) => `${value.slice(0, 150)} by ${by}`).join('; ');
}

function storedOf(row: Loose, field: string): unknown {
  const [outcome, texts] = [row.outcome, row.texts].map((text) => JSON.parse(text ?? '{}') as Loose);
  switch (field) {
    case 'state':
      return row.state;
    case 'content':
      return texts.content;
    case 'usage':
      return usageOf(outcome.usage);
    case 'exit':
      return outcome.exit;
    default:
      return shownAnswer(texts);
  }
}

/** As lists show it: at most 200 characters of the answer, or of the last line of the text. */
function shownAnswer({ answer, content }: Loose): string | null {
  const line = answer ?? content?.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (line === '') return null;
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`;
}
