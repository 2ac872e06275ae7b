import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('links without node:sqlite, which Node 20 does not have: it can still say which Node it needs', () => {
  const main = join(import.meta.dirname, 'main.ts');
  const args = ['--no-experimental-sqlite', '--conditions=coppice-source', main, '--help'];
  expect(execFileSync(process.execPath, args, { encoding: 'utf8' })).toMatch(/^usage: coppice COMMAND/);
});
