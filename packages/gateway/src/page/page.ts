// Finds the built dashboard. Vite builds it in a checkout on first use and when sources changed; the published package contains it.

import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../observe/log.ts';

const web = fileURLToPath(new URL('../../web', import.meta.url));

/** Undefined if there is no page and none can be built: the API is served all the same. */
export async function findPage(log: Log): Promise<string | undefined> {
  const page = join(web, 'dist');
  const built = join(page, 'index.html');
  if (existsSync(built) && !isStale(web, built)) return page;
  try {
    const { build } = await import('vite');
    await build({ configFile: join(web, 'vite.config.ts'), logLevel: 'error' });
    log.info('built the page', { page });
    return page;
  } catch (error) {
    log.warn('the page cannot be built', { error });
    return existsSync(built) ? page : undefined;
  }
}

export function isStale(sources: string, built: string): boolean {
  const builtMs = statSync(built).mtimeMs;
  return globSync('{src/**/*,index.html,*.ts}', { cwd: sources }).some(
    (file) => statSync(join(sources, file)).mtimeMs > builtMs,
  );
}
