// The contract of journals: the durable log of searches. A search is a record, written a few times, and a list of entries that only grows.
// Claiming a search gives an epoch; writes under an older epoch are dropped and their writer told. While a store refuses, writes are held
// and only what a client awaits fails; `trouble` tells of it. Operations take effect in the order of the calls. Excluded: folding the log,
// deciding what to run, time. Conformance suite: testing/journal/journal-cases.ts.

import type { LogEntry } from '../log/entry.ts';
import type { Documents, Plain } from './documents.ts';

export const searchStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type SearchState = (typeof searchStates)[number];

/** `until-end`: erased when the search ends; `never`: nothing can resume. */
export const textKeepings = ['keep', 'until-end', 'never'] as const;
export type TextKeeping = (typeof textKeepings)[number];

export interface NewSearch {
  /** Ids sort by time; lists rely on it. */
  readonly id: string;
  readonly owner: string;
  /** Unique per owner. */
  readonly idempotencyKey?: string;
  /** Tells a repeated request from another one under the same idempotency key. */
  readonly fingerprint: string;
  /** It outlives its client, and is taken up again after a crash. */
  readonly background: boolean;
  readonly createdMs: number;
  /** The conversation that it is a turn of, as its owner names it. */
  readonly session?: string | undefined;
  readonly about: Plain;
  readonly title: string;
  readonly request: Plain;
}

export interface Ending {
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly endedMs: number;
  readonly outcome: Plain;
  readonly texts: Plain;
  /** The journal ends the search only if its log has come so far. Missing without a log. */
  readonly lastSequence?: number;
}

/** `stored`, now or earlier; `lost`: another epoch, an end, or a gap; `differs`: the writer's fault. */
export type AppendResult = 'stored' | 'lost' | 'differs';

export interface SearchRecord extends Omit<NewSearch, 'request' | 'title'> {
  readonly state: SearchState;
  readonly epoch: number;
  /** Runs begun and not ended properly since the search last got further: see `begin`. */
  readonly runs: number;
  readonly cancelRequested: boolean;
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  readonly title: string | undefined;
  readonly request: Plain | undefined;
  readonly outcome: Plain | undefined;
  readonly texts: Plain | undefined;
  readonly damage?: string;
}

export type Acceptance =
  | { readonly fresh: true }
  /** Taken by the same request if the fingerprints are equal. */
  | { readonly fresh: false; readonly id: string; readonly fingerprint: string };

export interface ListQuery {
  readonly owner?: string;
  /** Its searches, and the one whose id it is: a response that others go on from names their session. */
  readonly session?: string;
  readonly states?: readonly SearchState[];
  readonly before?: string;
  readonly limit: number;
}

/** `before`: the last one of the page before. */
export interface EndedQuery {
  readonly owner?: string;
  readonly fromMs: number;
  readonly before: Pick<FinishedSearch, 'endedMs' | 'id'>;
  readonly limit: number;
}

export interface FinishedSearch
  extends Pick<SearchRecord, 'id' | 'owner' | 'createdMs' | 'state' | 'about' | 'outcome'> {
  readonly endedMs: number;
}

export interface Retention {
  readonly endedBeforeMs: number;
  readonly keepSearches: number;
  readonly atMost: number;
}

/** `set-aside` keeps what is damaged and goes on. */
export const damageChoices = ['refuse', 'set-aside'] as const;
export type DamageChoice = (typeof damageChoices)[number];

export interface JournalHealth {
  readonly unwritten: number;
  readonly oldestUnwrittenMs: number;
  readonly commits: number;
  readonly failures: number;
  readonly bytes: number;
}

/** Characters: some milliseconds to read, and little for each of thousands of readers to hold. */
export const pageChars = 131_072;

export interface JournalListener {
  /** Own entries are safe up to this sequence, and `read` gives them. */
  durable?(search: string, sequence: number): void;
  grownElsewhere?(search: string, sequence: number): void;
  lost?(search: string): void;
  /** An entry can never be written: the search has to end. */
  refused?(search: string, why: string): void;
  /** Its client had been told that it might not be accepted, and may find it by its idempotency key. */
  acceptedLate?(search: string): void;
  trouble?(trouble: string | undefined): void;
  cancelRequested?(search: string): void;
  endedElsewhere?(search: string): void;
  /** Signals may have been missed: read the journal. */
  missed?(): void;
}

export interface Journal {
  readonly texts: TextKeeping;
  readonly documents: Documents;
  /** Resolves when it is safe. */
  accept(search: NewSearch): Promise<Acceptance>;
  /** Takes a queued or running search at this epoch; its taker gets epoch + 1. */
  claim(id: string, epoch: number, atMs: number): Promise<boolean>;
  begin(id: string, epoch: number, runs: number): Promise<boolean>;
  /** Takes one run back: its process lost the search and lives on. */
  outlive(id: string): Promise<boolean>;
  /** Safe after `durable`, `flush`, `finish` or `close`. */
  append(epoch: number, entry: LogEntry): void;
  flush(): Promise<void>;
  /** After all earlier entries; false if it was lost, has ended, or its log is not complete. */
  finish(id: string, epoch: number, ending: Ending): Promise<boolean>;
  requestCancel(id: string): Promise<boolean>;
  find(id: string): Promise<SearchRecord | undefined>;
  /** Newest first; without request, and of the texts only the answer or the content. */
  list(query: ListQuery): Promise<SearchRecord[]>;
  ended(query: EndedQuery): Promise<FinishedSearch[]>;
  /** Oldest first; without damaged rows. */
  unfinished(): Promise<SearchRecord[]>;
  /** Entries after this sequence (-1: all), at most `limit` and about `pageChars`. Fails as `damaged` at an unreadable one. */
  read(search: string, after: number, limit: number): Promise<LogEntry[]>;
  sweep(retention: Retention): Promise<number>;
  remove(id: string): Promise<boolean>;
  listen(listener: JournalListener): void;
  /** Why nothing can be written now: refuse new work then. */
  readonly trouble: string | undefined;
  health(): JournalHealth;
  close(): Promise<void>;
}
