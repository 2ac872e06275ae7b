// What other packages may import of this folder, as `@coppice/postgres/cluster`. A list only.

export { PostgresCluster } from './cluster.ts';
export { serverName } from './server-name.ts';
