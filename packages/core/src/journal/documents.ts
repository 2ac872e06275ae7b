// Files and batches, kept beside the searches. A document is a record of facts, replaced as a whole by a writer that has read its last
// revision, and numbered parts of text, each written once. Every write resolves when it is safe.

/** JSON that a journal keeps without reading it. */
export type Plain = Readonly<Record<string, unknown>>;

export type DocumentKind = 'file' | 'batch';

export interface NewDocument {
  /** Ids of a kind sort by time; lists rely on it. */
  readonly id: string;
  readonly kind: DocumentKind;
  readonly owner: string;
  readonly createdMs: number;
  readonly open: boolean;
  /** Deleted after this time once it is not open; undefined stays. */
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
  add(document: NewDocument, parts?: readonly string[]): Promise<void>;
  /** Fails as `damaged` if its row is unreadable. */
  find(id: string): Promise<KeptDocument | undefined>;
  /** Newest first; without damaged rows. */
  list(query: DocumentQuery): Promise<KeptDocument[]>;
  /** Oldest first; without damaged rows. */
  opened(kind: DocumentKind): Promise<KeptDocument[]>;
  /** False if it is gone, or was changed since that revision. */
  change(id: string, revision: number, change: DocumentChange): Promise<boolean>;
  addPart(id: string, part: number, text: string): Promise<boolean>;
  /** Parts after this number (-1: all), bounded as in `Journal.read`. */
  parts(id: string, after: number, limit: number): Promise<DocumentPart[]>;
  partNumbers(id: string): Promise<number[]>;
  remove(id: string): Promise<boolean>;
  /** Deletes at most so many that expired before this time, and counts them. */
  expire(beforeMs: number, atMost: number): Promise<number>;
}
