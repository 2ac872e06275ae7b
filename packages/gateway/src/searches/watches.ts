// Follows searches for which a client of this node waits and which other nodes may run. Clients get only the durable log, whichever node
// writes it: a search may move while it streams. Entries made here come from memory once durable, all others from the journal on a
// notification, or every few seconds. Runs nothing, and writes nothing but requests to cancel.

import type { SearchPlan } from '@coppice/core/answering';
import { type Clock, every, type Timers } from '@coppice/core/base';
import { type Journal, readLog, type SearchRecord } from '@coppice/core/journal';
import { hasEvent, type LogEntry, SearchFold } from '@coppice/core/log';
import { ApiError, journalTrouble } from '../http/api-error.ts';
import { endOfRecord, successorIn } from '../result/told-end.ts';
import type { ClientResult } from '../wire/result-json.ts';
import { type Ended, LiveSearch, type LiveSearchFacts, searchOf } from './live-search.ts';

interface WatchesOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly findHere: (id: string) => LiveSearch | undefined;
  readonly endUnclaimed: (record: SearchRecord) => Promise<unknown>;
}

/** The durable part of a log. It is folded only once its fold is read. */
class DurableLog {
  sequence = -1;
  hasExit = false;
  readonly #unread: LogEntry[] = [];
  #fold: SearchFold | undefined;

  add(entry: LogEntry): void {
    this.sequence = entry.sequence;
    this.hasExit ||= hasEvent(entry, 'exited');
    if (this.#fold === undefined) this.#unread.push(entry);
    else this.#fold.apply(entry);
  }

  get fold(): SearchFold {
    this.#fold ??= new SearchFold();
    for (const entry of this.#unread.splice(0)) this.#fold.apply(entry);
    return this.#fold;
  }
}

interface WatchedSearch {
  readonly search: LiveSearch;
  readonly log: DurableLog;
  readonly notDurable: LogEntry[];
  isReading: boolean;
  isStale: boolean;
}

/** Covers missed notifications. */
const lookMs = 5000;
const retryMs = 1000;

export class Watches {
  readonly #options: WatchesOptions;
  readonly #watches = new Map<string, WatchedSearch>();
  readonly close: () => void;

  constructor(options: WatchesOptions) {
    this.#options = options;
    this.close = every(options.timers, lookMs, () => this.lookAtAll());
    options.journal.listen({
      durable: (id, sequence) => this.#onDurable(id, sequence),
      grownElsewhere: (id) => this.#onGrownElsewhere(id),
      endedElsewhere: (id) => this.#onGrownElsewhere(id),
      missed: () => this.lookAtAll(),
    });
  }

  get searches(): LiveSearch[] {
    return Array.from(this.#watches.values(), ({ search }) => search);
  }

  find(id: string): LiveSearch | undefined {
    return this.#watches.get(id)?.search;
  }

  follow(facts: LiveSearchFacts): LiveSearch {
    const log = new DurableLog();
    const search = new LiveSearch(facts, log);
    this.#watches.set(facts.id, { search, log, notDurable: [], isReading: false, isStale: false });
    return search;
  }

  /** Follows a search that another client has asked for already, on any node; undefined if its record cannot be read. */
  async followKnown(id: string): Promise<LiveSearch | undefined> {
    const watch = this.#watches.get(id);
    if (watch !== undefined) return watch.search;
    const record = await this.#options.journal.find(id);
    const plan = record?.request?.plan as SearchPlan | undefined;
    if (record === undefined || plan === undefined) return undefined;
    const search = this.follow(searchOf(record, plan).facts);
    this.#look(id);
    return search;
  }

  logged(entry: LogEntry): void {
    this.#watches.get(entry.search)?.notDurable.push(entry);
  }

  /** The search runs elsewhere now: entries that are not durable never happened. */
  lost(id: string): void {
    this.#watches.get(id)?.notDurable.splice(0);
  }

  ended(id: string, ended: Ended, successor: LiveSearch | undefined): void {
    const watch = this.#watches.get(id);
    if (watch === undefined) return;
    // Entries of other nodes, which may have begun the search, are not read yet: a stream needs the whole log.
    if (ended.result !== undefined && !watch.log.hasExit) void this.#read(watch);
    else this.#end(watch, ended, successor && this.#watches.get(successor.id)?.search);
  }

  async cancel(id: string): Promise<void> {
    const { journal, endUnclaimed } = this.#options;
    try {
      await journal.requestCancel(id);
      const record = await journal.find(id);
      if (record?.state === 'queued') await endUnclaimed(record);
    } catch {
      if (this.#watches.has(id)) this.#options.timers.after(retryMs, () => void this.cancel(id));
    }
  }

  lookAtAll(): void {
    for (const id of this.#watches.keys()) this.#look(id);
  }

  #onDurable(id: string, sequence: number): void {
    const watch = this.#watches.get(id);
    if (watch === undefined) return;
    const here = this.#options.findHere(id);
    while (watch.notDurable[0] !== undefined && watch.notDurable[0].sequence <= sequence) {
      const entry = watch.notDurable.shift()!;
      this.#tell(watch, entry);
      if (hasEvent(entry, 'exited') && here?.ended !== undefined) this.ended(id, here.ended, here.successor);
    }
    if (watch.log.sequence < sequence) void this.#read(watch);
  }

  /** Another node has the search now: later entries of this one, an end included, never happened. */
  #onGrownElsewhere(id: string): void {
    const watch = this.#watches.get(id);
    if (watch !== undefined) void this.#read(watch);
  }

  #tell(watch: WatchedSearch, entry: LogEntry): void {
    const { search, log } = watch;
    if (entry.sequence !== log.sequence + 1) return;
    log.add(entry);
    if (hasEvent(entry, 'admitted')) {
      search.state = 'running';
      search.startedMs ??= entry.atMs;
    }
    search.hear(entry);
  }

  #end(watch: WatchedSearch, ended: Ended, successor: LiveSearch | undefined): void {
    if (!this.#watches.delete(watch.search.id)) return;
    watch.search.successor = successor;
    watch.search.end(ended);
    watch.search.tell();
  }

  #look(id: string): void {
    const watch = this.#watches.get(id);
    if (watch !== undefined && this.#options.findHere(id) === undefined) void this.#read(watch);
  }

  async #read(watch: WatchedSearch): Promise<void> {
    watch.isStale = true;
    if (watch.isReading) return;
    watch.isReading = true;
    try {
      while (watch.isStale) {
        watch.isStale = false;
        await this.#catchUp(watch);
      }
    } catch {
      // The database cannot be reached; the next look tries again.
    }
    watch.isReading = false;
  }

  async #catchUp(watch: WatchedSearch): Promise<void> {
    const { journal } = this.#options;
    const { log, search } = watch;
    const { id } = search;
    // Read before the log: once a search has its end, its log is complete.
    const record = await journal.find(id);
    for await (const page of readLog(journal, id, log.sequence)) {
      for (const entry of page) this.#tell(watch, entry);
    }
    if (record === undefined) {
      const error = journalTrouble('the journal could not keep this search');
      const gone = { state: 'failed', endedMs: this.#options.clock.nowMs(), result: undefined, error } as const;
      return this.#end(watch, gone, undefined);
    }
    if (record.endedMs === undefined) return;
    const next = successorIn(record);
    this.#end(watch, endOf(record), next === undefined ? undefined : await this.followKnown(next));
  }
}

function endOf(record: SearchRecord): Ended {
  const { outcome, texts, error } = endOfRecord(record);
  return {
    state: record.state as Ended['state'],
    endedMs: record.endedMs ?? 0,
    result: outcome && ({ outcome, texts } as ClientResult),
    error: error && new ApiError(error.code as ApiError['code'], error.message, { param: error.param ?? undefined }),
  };
}
