// `@coppice/postgres/cluster`: the names that other packages may import. A list only.

export { PostgresCluster } from './cluster.ts';
export { serverName } from './server-name.ts';
