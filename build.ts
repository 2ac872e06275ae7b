// Compiles every package to its dist/, each after those that it imports, since their types come from there.

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const order = ['core', 'sim', 'papers', 'postgres', 'llama', 'gateway', 'coppice'];

for (const name of order) {
  const folder = new URL(`packages/${name}/`, import.meta.url);
  rmSync(new URL('dist', folder), { recursive: true, force: true });
  const compiler = fileURLToPath(new URL('node_modules/.bin/tsc', import.meta.url));
  execFileSync(compiler, ['--project', fileURLToPath(folder)], { stdio: 'inherit' });
}
