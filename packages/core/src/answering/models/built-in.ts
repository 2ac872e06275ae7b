// Parts of core without any plug-in: servers as engines, verifiers on servers and in processes, and the journal in SQLite.

import { registerPlugin } from '../../config/plugin.ts';
import { sqliteKind } from '../../config/sqlite-kind.ts';
import { remoteKind } from './remote-kind.ts';
import { verifierKinds } from './verifier-kinds.ts';

registerPlugin({
  name: '@coppice/core',
  engines: [remoteKind],
  verifiers: verifierKinds,
  journals: [sqliteKind],
});
