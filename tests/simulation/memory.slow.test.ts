import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('10,000 live searches of 200 nodes fit into 2 GB', () => {
  const root = new URL('../..', import.meta.url).pathname;
  // The limit itself is the test: with less than it needs, the process would end here.
  const args = ['--max-old-space-size=1900', '--conditions=coppice-source', 'lab/src/main.ts', 'micro', 'memory'];
  const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  const heap = /10000 live searches, (\d+) nodes: heap (\d+) MB/.exec(output);
  expect(Number(heap?.[1])).toBeGreaterThanOrEqual(2_000_000);
  expect(Number(heap?.[2])).toBeLessThan(2000);
});
