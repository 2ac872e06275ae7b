// Reads latency, throughput and exits of ended searches over a range of time from the journal: of all nodes, and past a restart. It reads
// in pages and keeps a result for all readers for a while: it must never hold up serving.

import { type Clock, nextSlice } from '@coppice/core/base';
import type { FinishedSearch, Journal, Plain } from '@coppice/core/journal';
import { type ExitKind, exitKinds } from '@coppice/core/log';
import {
  type HistoryBucketJson,
  type HistoryJson,
  type HistoryKindJson,
  type HistoryRange,
  historyRanges,
} from '../../wire/history-json.ts';
import type { ResultFacts } from '../../wire/result-json.ts';

const mostRead = 100_000;
/** Rows in a page: about 1 ms of the loop with SQLite, at 18 µs a row; 25 ms with texts of 100 kB each. */
const pageLength = 50;
/** A result is kept for an eighth of a bucket, and for twenty times as long as reading it took. */
const freshShare = 1 / 8;
const restFactor = 20;
const freshMs = { least: 1000, most: 60_000 };
const mostKept = 64;

interface Kept {
  untilMs: number;
  readonly history: Promise<HistoryJson>;
}

export class History {
  readonly #journal: Pick<Journal, 'ended'>;
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept>();

  constructor(journal: Pick<Journal, 'ended'>, clock: Clock) {
    this.#journal = journal;
    this.#clock = clock;
  }

  read(range: HistoryRange, owner: string | undefined): Promise<HistoryJson> {
    const atMs = this.#clock.nowMs();
    const key = JSON.stringify([range, owner]);
    const kept = this.#kept.get(key);
    if (kept !== undefined && atMs < kept.untilMs) return kept.history;
    const fresh: Kept = { untilMs: Number.POSITIVE_INFINITY, history: this.#gather(range, owner, atMs) };
    this.#kept.delete(key);
    this.#kept.set(key, fresh);
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value!);
    const pieceMs = Math.max(freshMs.least, Math.min(freshMs.most, historyRanges[range].bucketMs * freshShare));
    fresh.history.then(
      () => {
        const endMs = this.#clock.nowMs();
        fresh.untilMs = Math.max(atMs + pieceMs, endMs + restFactor * (endMs - atMs));
      },
      () => this.#kept.delete(key),
    );
    return fresh.history;
  }

  async #gather(range: HistoryRange, owner: string | undefined, nowMs: number): Promise<HistoryJson> {
    const fromMs = startOf(range, nowMs);
    const whose = owner === undefined ? {} : { owner };
    const ends: PastSearch[] = [];
    // Nodes with a fast clock may have ended searches a little after now.
    let before = { endedMs: Number.MAX_SAFE_INTEGER, id: '' };
    for (;;) {
      const page = await this.#journal.ended({ fromMs, before, limit: pageLength, ...whose });
      for (const each of page) ends.push(pastSearch(each));
      if (ends.length > mostRead) return foldHistory(ends.slice(0, mostRead), range, nowMs, false);
      if (page.length < pageLength) return foldHistory(ends, range, nowMs, true);
      before = page.at(-1)!;
      await nextSlice();
    }
  }
}

export interface PastSearch {
  readonly endedMs: number;
  readonly latencyMs: number;
  readonly kind: ExitKind;
  readonly tokens: number;
  readonly shown?: KindSearch | undefined;
}

/** Records of older versions may lack values, which count as nothing. */
export function pastSearch({ state, createdMs, endedMs, about, outcome }: FinishedSearch): PastSearch {
  const { exit, usage } = (outcome ?? {}) as {
    readonly exit?: { readonly kind?: ExitKind };
    readonly usage?: { readonly completion_tokens?: number };
  };
  const known = exitKinds.find((kind) => kind === exit?.kind);
  const kind = known ?? (state === 'cancelled' ? 'cancelled' : 'failed');
  const tokens = usage?.completion_tokens ?? 0;
  return { endedMs, latencyMs: Math.max(0, endedMs - createdMs), kind, tokens, shown: kindSearch(about, outcome) };
}

/** Buckets begin at multiples of their length, so that drawn ones stay in place. */
export function startOf(range: HistoryRange, nowMs: number): number {
  const { spanMs, bucketMs } = historyRanges[range];
  return Math.floor(nowMs / bucketMs) * bucketMs - spanMs + bucketMs;
}

export function foldHistory(
  ends: readonly PastSearch[],
  range: HistoryRange,
  nowMs: number,
  complete: boolean,
): HistoryJson {
  const { spanMs, bucketMs } = historyRanges[range];
  const fromMs = startOf(range, nowMs);
  const count = Math.round(spanMs / bucketMs);
  const groups: PastSearch[][] = Array.from({ length: count }, () => []);
  for (const end of ends) groups[Math.min(count - 1, Math.floor((end.endedMs - fromMs) / bucketMs))]?.push(end);
  const buckets = groups.map((group, at) => ({ from_ms: fromMs + at * bucketMs, ...figuresOf(group) }));
  const bounds = { from_ms: fromMs, to_ms: Math.round(nowMs), bucket_ms: bucketMs };
  const kinds = kindsOf(ends.flatMap(({ shown }) => shown ?? []));
  return { object: 'history', range, ...bounds, complete, total: figuresOf(groups.flat()), buckets, kinds };
}

export function figuresOf(ends: readonly PastSearch[]): Omit<HistoryBucketJson, 'from_ms'> {
  const latencies = ends.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
  const exits: Record<string, number> = {};
  for (const { kind } of ends) exits[kind] = (exits[kind] ?? 0) + 1;
  return {
    searches: ends.length,
    tokens: ends.reduce((sum, { tokens }) => sum + tokens, 0),
    p50_ms: ends.length === 0 ? null : percentile(latencies, 0.5),
    p99_ms: ends.length === 0 ? null : percentile(latencies, 0.99),
    exits,
  };
}

type KindSearch = Pick<HistoryKindJson, 'model' | 'program' | 'rollouts'> & Pick<ResultFacts, 'audit'>;

function kindSearch(about: Plain, outcome: Plain | undefined): KindSearch | undefined {
  const { model, program, mode } = about as { readonly [Name in 'model' | 'program' | 'mode']?: string };
  const { rollouts, audit } = (outcome ?? {}) as Partial<ResultFacts>;
  const isSearch = model !== undefined && program !== undefined && rollouts !== undefined && mode !== 'direct';
  return isSearch ? { model, program, rollouts, ...(audit && { audit }) } : undefined;
}

export function kindsOf(searches: readonly KindSearch[]): HistoryKindJson[] {
  const groups = Map.groupBy(searches, ({ model, program }) => JSON.stringify([model, program]));
  const kinds = Array.from(groups.values(), (own): HistoryKindJson => {
    const sum = (read: (search: KindSearch) => number) => own.reduce((total, each) => total + read(each), 0);
    const pairs = sum(({ audit }) => audit?.pairs ?? 0);
    return {
      model: own[0]!.model,
      program: own[0]!.program,
      searches: own.length,
      rollouts: sum(({ rollouts }) => rollouts) / own.length,
      judge_agreement: pairs === 0 ? null : sum(({ audit }) => audit?.right ?? 0) / pairs,
      split_questions: sum(({ audit }) => Number(audit !== undefined && audit.pairs > 0)),
    };
  });
  return kinds.sort((a, b) => b.searches - a.searches);
}

function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0);
}
