// Where the built dashboard lies: in a checkout it is built on first use, with Vite; in the package it is there already.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../gateway/observe/log.ts';

/** The same place as seen from src/cli and from dist/cli. */
const web = fileURLToPath(new URL('../../../web', import.meta.url));

/** Undefined where there is no page and none can be built: the API is served all the same. */
export async function findPage(log: Log): Promise<string | undefined> {
  const page = join(web, 'dist');
  if (existsSync(join(page, 'index.html'))) return page;
  try {
    const { build } = await import('vite');
    await build({ configFile: join(web, 'vite.config.ts'), logLevel: 'error' });
    log.info('built the page', { page });
    return page;
  } catch (error) {
    log.warn('the page cannot be built', { error });
    return undefined;
  }
}
