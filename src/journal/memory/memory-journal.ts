// The journal of a process that needs none on disk: tests, and `serve` with `journal.path` unset. The same contract and
// the same order of operations as on disk, and bounded by the same retention; only a crash takes everything with it.

import type { LoggedEvent } from '../../log/events.ts';
import type {
  Acceptance,
  Ending,
  Journal,
  JournalHealth,
  JournalListener,
  ListQuery,
  NewSearch,
  Retention,
  SearchRecord,
  TextKeeping,
} from '../journal.ts';
import { listedTexts, splitTexts } from '../texts.ts';
import { MemoryDocuments } from './memory-documents.ts';

interface Held {
  record: SearchRecord;
  readonly entries: LoggedEvent[];
}

const erased = { title: undefined, request: undefined, texts: undefined };

export class MemoryJournal implements Journal {
  readonly texts: TextKeeping;
  readonly trouble = undefined;
  readonly documents = new MemoryDocuments();
  readonly #searches = new Map<string, Held>();
  readonly #idempotency = new Map<string, string>();
  readonly #listeners: JournalListener[] = [];
  readonly #durable = new Map<string, number>();
  readonly #keepEnded: number;
  /** In the order of their ends. */
  readonly #ended = new Set<string>();
  #telling = false;

  /** `keepEnded`: memory is dearer than disk, so the oldest ended searches beyond these go at once. */
  constructor(texts: TextKeeping = 'keep', keepEnded = 2000) {
    this.texts = texts;
    this.#keepEnded = keepEnded;
  }

  async accept(search: NewSearch): Promise<Acceptance> {
    const key = idempotencyOf(search);
    const taken = key === undefined ? undefined : this.#searches.get(this.#idempotency.get(key) ?? '')?.record;
    if (taken !== undefined) return { fresh: false, id: taken.id, fingerprint: taken.fingerprint };
    if (key !== undefined) this.#idempotency.set(key, search.id);
    const [title, request] = this.texts === 'never' ? [] : [search.title, search.request];
    const blank = { startedMs: undefined, endedMs: undefined, outcome: undefined, texts: undefined };
    const record = { ...search, title, request, state: 'queued', epoch: 0, cancelRequested: false, ...blank } as const;
    this.#searches.set(search.id, { record, entries: [] });
    return { fresh: true };
  }

  async claim(id: string, epoch: number, atMs: number): Promise<boolean> {
    const held = this.#searches.get(id);
    if (held === undefined || held.record.endedMs !== undefined || held.record.epoch !== epoch) return false;
    const startedMs = held.record.startedMs ?? atMs;
    held.record = { ...held.record, state: 'running', epoch: epoch + 1, startedMs };
    return true;
  }

  append(epoch: number, entry: LoggedEvent): void {
    const held = this.#searches.get(entry.search);
    const isOurs = held?.record.epoch === epoch;
    const before = isOurs ? held.entries[entry.sequence] : undefined;
    const fits = isOurs && held.record.endedMs === undefined && held.entries.length === entry.sequence;
    if (!fits && before === undefined) return this.#tellLost(entry.search);
    if (fits) held.entries.push(this.texts === 'never' ? bareEntry(entry) : entry);
    this.#durable.set(entry.search, entry.sequence);
    this.#tellSoon();
  }

  async flush(): Promise<void> {
    this.#tell();
  }

  async finish(id: string, epoch: number, ending: Ending): Promise<boolean> {
    const held = this.#searches.get(id);
    if (held === undefined || held.record.endedMs !== undefined || held.record.epoch !== epoch) return false;
    const { state, endedMs, outcome, lastSequence } = ending;
    if (lastSequence !== undefined && lastSequence !== held.entries.length - 1) return false;
    const { title, request } = held.record;
    const kept = this.texts === 'keep' ? { title, request, texts: ending.texts } : erased;
    held.record = { ...held.record, state, endedMs, outcome, ...kept };
    if (this.texts === 'until-end') held.entries.splice(0, held.entries.length, ...held.entries.map(bareEntry));
    this.#ended.add(id);
    for (const oldest of this.#ended) {
      if (this.#ended.size <= this.#keepEnded) break;
      this.#drop(oldest);
    }
    this.#tell();
    return true;
  }

  async requestCancel(id: string): Promise<boolean> {
    const held = this.#searches.get(id);
    if (held === undefined || held.record.endedMs !== undefined) return false;
    held.record = { ...held.record, cancelRequested: true };
    return true;
  }

  async find(id: string): Promise<SearchRecord | undefined> {
    return this.#searches.get(id)?.record;
  }

  async list(query: ListQuery): Promise<SearchRecord[]> {
    const { owner, states, before, limit } = query;
    const wanted = [...this.#searches.values()]
      .map(({ record }) => record)
      .filter((record) => owner === undefined || record.owner === owner)
      .filter((record) => states === undefined || states.includes(record.state))
      .filter((record) => before === undefined || record.id < before);
    const newest = wanted.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit);
    return newest.map((record) => ({ ...record, request: undefined, texts: listedTexts(record.texts) }));
  }

  async unfinished(): Promise<SearchRecord[]> {
    const records = [...this.#searches.values()].map(({ record }) => record);
    return records.filter(({ endedMs }) => endedMs === undefined).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  async read(search: string, after: number, limit: number): Promise<LoggedEvent[]> {
    return this.#searches.get(search)?.entries.slice(after + 1, after + 1 + limit) ?? [];
  }

  async sweep(retention: Retention): Promise<number> {
    const ended = [...this.#searches.values()]
      .map(({ record }) => record)
      .filter((record) => record.endedMs !== undefined);
    ended.sort((a, b) => (a.endedMs ?? 0) - (b.endedMs ?? 0));
    const surplus = this.#searches.size - retention.keepSearches;
    const goes = ended.filter((record, at) => (record.endedMs ?? 0) < retention.endedBeforeMs || at < surplus);
    for (const record of goes.slice(0, retention.atMost)) this.#drop(record.id);
    return Math.min(goes.length, retention.atMost);
  }

  async remove(id: string): Promise<boolean> {
    if (this.#searches.get(id)?.record.endedMs === undefined) return false;
    this.#drop(id);
    return true;
  }

  listen(listener: JournalListener): void {
    this.#listeners.push(listener);
  }

  health(): JournalHealth {
    return { unwritten: 0, oldestUnwrittenMs: 0, commits: 0, failures: 0, bytes: 0 };
  }

  async close(): Promise<void> {
    this.#tell();
  }

  #drop(id: string): void {
    const record = this.#searches.get(id)?.record;
    const key = record === undefined ? undefined : idempotencyOf(record);
    if (key !== undefined) this.#idempotency.delete(key);
    this.#searches.delete(id);
    this.#ended.delete(id);
  }

  #tellSoon(): void {
    if (this.#telling) return;
    this.#telling = true;
    setImmediate(() => this.#tell());
  }

  #tell(): void {
    this.#telling = false;
    const durable = [...this.#durable];
    this.#durable.clear();
    for (const [search, sequence] of durable) for (const each of this.#listeners) each.durable?.(search, sequence);
  }

  #tellLost(search: string): void {
    for (const each of this.#listeners) each.lost?.(search);
  }
}

function idempotencyOf(search: { readonly owner: string; readonly idempotencyKey?: string }): string | undefined {
  return search.idempotencyKey === undefined ? undefined : JSON.stringify([search.owner, search.idempotencyKey]);
}

function bareEntry(entry: LoggedEvent): LoggedEvent {
  return { ...entry, event: splitTexts(entry.event).bare };
}
