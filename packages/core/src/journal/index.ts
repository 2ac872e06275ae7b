// What other packages may import of this folder, as `@coppice/core/journal`. A list only.

export { Audits } from './audits.ts';
export type { Cluster, HeldSearch, LivingNode, OfferedSearch, Taker, WindowUse } from './cluster.ts';
export type {
  DocumentChange,
  DocumentKind,
  DocumentPart,
  DocumentQuery,
  Documents,
  KeptDocument,
  NewDocument,
  Plain,
} from './documents.ts';
export {
  type Acceptance,
  type AppendResult,
  type EndedQuery,
  type Ending,
  type FinishedSearch,
  type Journal,
  type JournalHealth,
  type JournalListener,
  type ListQuery,
  type NewSearch,
  pageChars,
  type Retention,
  type SearchRecord,
  type SearchState,
  searchStates,
  type TextKeeping,
} from './journal.ts';
export {
  type HoldableWrite,
  JournalWriter,
  type Store,
  StoreRefusal,
  tellAppended,
  tellRefused,
} from './journal-writer.ts';
export { readLog } from './read-log.ts';
export {
  damagedOutcome,
  onceEach,
  type SqlRow,
  soundDocuments,
  storable,
  toDocument,
  toEnded,
  toEntry,
  toListed,
  toRecord,
} from './rows.ts';
export { readableByOthers } from './sqlite/open-database.ts';
export { SqliteJournal } from './sqlite/sqlite-journal.ts';
export { splitEntry } from './texts.ts';
