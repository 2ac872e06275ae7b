// What other packages may import of this folder, as `@coppice/postgres/journal`. A list only.

export { connect } from './connection.ts';
export { PostgresJournal } from './postgres-journal.ts';
export { migrate } from './schema.ts';
