// `@coppice/postgres/journal`: the names that other packages may import. A list only.

export { connect } from './connection.ts';
export { PostgresJournal } from './postgres-journal.ts';
export { migrate } from './schema.ts';
