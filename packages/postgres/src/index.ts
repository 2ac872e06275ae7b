// The plug-in of journals of kind `postgres`. The code that talks to the database is loaded on first use.

import { registerPlugin } from '@coppice/core/config';
import { z } from 'zod';

const load = () => import('./cluster/shared-journal.ts');

registerPlugin({
  name: '@coppice/postgres',
  journals: [
    {
      kind: 'postgres',
      about: 'postgres is a database that many nodes share (docs/scale-out.md): DATABASE_URL holds its address',
      settings: {
        schema: z
          .string()
          .regex(/^[a-z_][a-z0-9_]{0,50}$/)
          .default('coppice')
          .meta({ description: 'of the tables in PostgreSQL; two clusters in one database need two' }),
      },
      open: async (...asked) => (await load()).openShared(...asked),
      read: async (...asked) => (await load()).readShared(...asked),
      migrate: async (...asked) => (await load()).migrateTables(...asked),
    },
  ],
});
