// What other packages may import of this folder, as `@coppice/postgres/journal`. A list only.

export type { JournalWrite } from './batch.ts';
export { connect, type DatabaseOptions } from './connection.ts';
export { type BellEars, PostgresJournal, type PostgresParts } from './postgres-journal.ts';
export { migrate } from './schema.ts';
