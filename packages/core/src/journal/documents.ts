// What is kept in the journal's database beside the searches: files and batches. A document is a record of facts, replaced as a
// whole by a writer that has read its last revision, and parts of text under numbers, each written once and never changed. Excluded:
// what the facts mean, and what to do with a document. Every write resolves when it is safe.

import type { Plain } from './plain.ts';

export type DocumentKind = 'file' | 'batch';

export interface NewDocument {
  /** Ids of a kind sort by the time of their making; lists rely on it. */
  readonly id: string;
  readonly kind: DocumentKind;
  readonly owner: string;
  readonly createdMs: number;
  readonly open: boolean;
  /** From when on it goes by itself, once it is not open any more; undefined where it stays. */
  readonly expiresMs: number | undefined;
  readonly facts: Plain;
}

export interface KeptDocument extends NewDocument {
  readonly revision: number;
}

export type DocumentChange = Pick<NewDocument, 'facts' | 'open' | 'expiresMs'>;

export interface DocumentQuery {
  readonly kind: DocumentKind;
  readonly owner?: string;
  readonly before?: string;
  readonly limit: number;
}

export interface DocumentPart {
  readonly part: number;
  readonly text: string;
}

export interface Documents {
  /** With its parts, numbered from 0. */
  add(document: NewDocument, parts?: readonly string[]): Promise<void>;
  /** Fails as `damaged` where its row cannot be read. */
  find(id: string): Promise<KeptDocument | undefined>;
  /** Newest first; without those whose rows are damaged. */
  list(query: DocumentQuery): Promise<KeptDocument[]>;
  /** Those that are open, oldest first; without those whose rows are damaged. */
  opened(kind: DocumentKind): Promise<KeptDocument[]>;
  /** False where it is gone, or was changed since that revision. */
  change(id: string, revision: number, change: DocumentChange): Promise<boolean>;
  /** False where there is no such document, or it has that part already. */
  addPart(id: string, part: number, text: string): Promise<boolean>;
  /** The next parts after this number (-1 for the first), bounded as the entries of a log are (`Journal.read`). */
  parts(id: string, after: number, limit: number): Promise<DocumentPart[]>;
  partNumbers(id: string): Promise<number[]>;
  remove(id: string): Promise<boolean>;
  /** Those that expired before this time go, at most so many; how many went. */
  expire(beforeMs: number, atMost: number): Promise<number>;
}
