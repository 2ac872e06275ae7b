// The contract of journals: the durable log of searches. A search is one record that is written a few times (accepted,
// claimed, ended) and a list of entries that is only ever added to. The process that claims a search gets an epoch; what is written
// under an older epoch is dropped and its writer told, so that a process which lost a search cannot spoil it.
// A store that refuses writes does not fail them: they are held and written in order when it takes them again, `trouble`
// tells of it, and only what a client waits for (accepting in the background, cancelling, flushing) is refused at once. Where a
// store breaks off before it has answered, a write is made again, and an earlier try that was applied counts as success.
// Operations take effect in the order of the calls. Written so that a server database can follow: everything that can
// wait is a promise, nothing reads back what it has just written. Excluded: folding the log, deciding what to run, time.
// Its conformance suite is testing/journal/journal-cases.ts.

import type { LogEntry } from '../log/entry.ts';
import type { Documents } from './documents.ts';
import type { Plain } from './plain.ts';

export type { Plain };

export const searchStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;
export type SearchState = (typeof searchStates)[number];

/** `keep`: until retention ends; `until-end`: erased when the search ends; `never`: not written, so nothing can resume. */
export const textKeepings = ['keep', 'until-end', 'never'] as const;
export type TextKeeping = (typeof textKeepings)[number];

export interface NewSearch {
  /** Ids sort by the time of their making; lists rely on it. */
  readonly id: string;
  readonly owner: string;
  /** Unique per owner; the same key gives the same search. */
  readonly idempotencyKey?: string;
  /** Of the request, to tell a repeated request from another one under the same idempotency key. */
  readonly fingerprint: string;
  /** Whether it outlives its client, and is taken up again after a crash. */
  readonly background: boolean;
  readonly createdMs: number;
  /** Facts without texts: model, program, policy, limits. */
  readonly about: Plain;
  /** The beginning of the question, for lists. Text: kept as texts are. */
  readonly title: string;
  /** What it takes to run it again; holds texts. */
  readonly request: Plain;
}

export interface Ending {
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly endedMs: number;
  readonly outcome: Plain;
  readonly texts: Plain;
  /** Of its last entry: the journal ends the search only where its log has come so far. Missing where it has no log to speak of. */
  readonly lastSequence?: number;
}

/** `stored`, now or earlier; `lost`: another epoch, an end, or a gap; `differs`: another entry stands there, the writer's fault. */
export type AppendResult = 'stored' | 'lost' | 'differs';

export interface SearchRecord extends Omit<NewSearch, 'request' | 'title'> {
  readonly state: SearchState;
  readonly epoch: number;
  /** Runs that a process began and neither ended nor put down in good order, since the search last got further: see `begin`. */
  readonly runs: number;
  /** A client asked for it to end; a process that takes it up must not go on with it. */
  readonly cancelRequested: boolean;
  readonly startedMs: number | undefined;
  readonly endedMs: number | undefined;
  /** These are undefined where texts are not kept (any more). */
  readonly title: string | undefined;
  readonly request: Plain | undefined;
  readonly outcome: Plain | undefined;
  readonly texts: Plain | undefined;
  /** Where its row holds no JSON, for people to read. It counts as failed then, and its outcome says why. */
  readonly damage?: string;
}

export type Acceptance =
  | { readonly fresh: true }
  /** The idempotency key is taken; by the same request if the fingerprints are the same. */
  | { readonly fresh: false; readonly id: string; readonly fingerprint: string };

export interface ListQuery {
  readonly owner?: string;
  readonly states?: readonly SearchState[];
  readonly before?: string;
  readonly limit: number;
}

/** Ended searches of a time, in pages: `before` is the last one of the page before. */
export interface EndedQuery {
  readonly owner?: string;
  readonly fromMs: number;
  readonly before: Pick<FinishedSearch, 'endedMs' | 'id'>;
  readonly limit: number;
}

/** What figures over time are made of; without texts. */
export interface FinishedSearch extends Pick<SearchRecord, 'id' | 'createdMs' | 'state' | 'about' | 'outcome'> {
  readonly endedMs: number;
}

export interface Retention {
  readonly endedBeforeMs: number;
  /** And the oldest ended ones beyond this number of searches in all. */
  readonly keepSearches: number;
  /** How many may go in one call, so that a sweep never holds up the rest. */
  readonly atMost: number;
}

/** What a start does with a journal that is damaged: end with one line, or keep what is damaged aside and go on. */
export const damageChoices = ['refuse', 'set-aside'] as const;
export type DamageChoice = (typeof damageChoices)[number];

export interface JournalHealth {
  /** Writes that are not safe yet; while there is trouble they are held, and written when it is over. */
  readonly unwritten: number;
  /** Age of the oldest of them; 0 where there is none. */
  readonly oldestUnwrittenMs: number;
  readonly commits: number;
  readonly failures: number;
  readonly bytes: number;
}

/** Characters of one page of a log: some milliseconds to read, and little for each of thousands of readers to hold. */
export const pageChars = 131_072;

export interface JournalListener {
  /** What this process has appended is safe up to this sequence, and `read` gives it. */
  durable?(search: string, sequence: number): void;
  /** Another process has appended up to this sequence. A bell only: what it wrote is read from the journal. */
  grownElsewhere?(search: string, sequence: number): void;
  /** Another process has claimed the search: stop working on it, write nothing more. */
  lost?(search: string): void;
  /** An entry can never be written: the search cannot be kept, and has to end. */
  refused?(search: string, why: string): void;
  /** It was accepted after its client had been told that it might not be: only with an idempotency key, by which the client may find it. */
  acceptedLate?(search: string): void;
  trouble?(trouble: string | undefined): void;
  /** A client, perhaps of another process, has asked for it to end. A bell only: the record is the truth. */
  cancelRequested?(search: string): void;
  /** It was ended by another process. A bell only. */
  endedElsewhere?(search: string): void;
  /** Bells may have been missed: listeners that wait for one read the journal. */
  missed?(): void;
}

export interface Journal {
  readonly texts: TextKeeping;
  readonly documents: Documents;
  /** Resolves when it is safe. */
  accept(search: NewSearch): Promise<Acceptance>;
  /** Takes a queued or running search that is still at this epoch; true gives its taker epoch + 1. */
  claim(id: string, epoch: number, atMs: number): Promise<boolean>;
  /** Notes its `runs` under its epoch; false where it was lost or has ended. */
  begin(id: string, epoch: number, runs: number): Promise<boolean>;
  /** Takes one run back: the process that began it lost the search and lives on. */
  outlive(id: string): Promise<boolean>;
  /** Buffered; safe after `durable`, `flush`, `finish` or `close`. */
  append(epoch: number, entry: LogEntry): void;
  flush(): Promise<void>;
  /** Ends a search under its epoch, after all that was appended before; false where it was lost, has ended otherwise, or its log is not complete. */
  finish(id: string, epoch: number, ending: Ending): Promise<boolean>;
  /** True if the search exists and had not ended. */
  requestCancel(id: string): Promise<boolean>;
  find(id: string): Promise<SearchRecord | undefined>;
  /** Newest first; without request, and of the texts only the answer, or the content where there is none. */
  list(query: ListQuery): Promise<SearchRecord[]>;
  /** By the time of their end, the last to end first. */
  ended(query: EndedQuery): Promise<FinishedSearch[]>;
  /** Queued and running, oldest first; without those whose rows are damaged. */
  unfinished(): Promise<SearchRecord[]>;
  /** The next entries after this sequence (-1: all), at most `limit` and about `pageChars`. Fails as `damaged` where one is unreadable. */
  read(search: string, after: number, limit: number): Promise<LogEntry[]>;
  sweep(retention: Retention): Promise<number>;
  /** Takes a search that has ended out, log and all; false where there is none. */
  remove(id: string): Promise<boolean>;
  listen(listener: JournalListener): void;
  /** Why nothing can be written now, for people to read: new work should be refused then. Undefined while all is well. */
  readonly trouble: string | undefined;
  health(): JournalHealth;
  close(): Promise<void>;
}
