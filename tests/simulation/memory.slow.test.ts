import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

// A twentieth of the promised size, in a twentieth of its memory: what a search takes does not depend on how many there are (`npm run bench -- memory`).
it('500 live searches of 200 nodes fit into 100 MB, as 10,000 fit into 2 GB', () => {
  const root = new URL('../..', import.meta.url).pathname;
  const args = ['--max-old-space-size=500', '--conditions=coppice-source', 'lab/src/main.ts', 'micro', 'memory', '500'];
  const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const heap = /500 live searches, (\d+) nodes: heap (\d+) MB/.exec(output);
  expect(Number(heap?.[1])).toBeGreaterThanOrEqual(100_000);
  expect(Number(heap?.[2])).toBeLessThan(100);
});
