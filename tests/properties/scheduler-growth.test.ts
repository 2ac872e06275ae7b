// One decision does no more than n log n work in the live searches, counted without a clock.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { crowds, type DecisionCount, growthFrom, liveSearches } from '../../lab/src/micro/decide.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const script = `
  const { countDecisions } = await import('./lab/src/micro/decide.ts');
  console.log(JSON.stringify(countDecisions()));`;

it('a decision grows no faster than n log n from 10 to 10,000 live searches', () => {
  // In a process of its own: counting turns the optimiser off, and V8 counts only what no test runner has rewritten.
  const output = execFileSync(
    process.execPath,
    ['--conditions=coppice-source', '--input-type=module', '--eval', script],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const counts: DecisionCount[] = JSON.parse(output);
  expect(counts).toHaveLength(crowds.length * 2 * liveSearches.length);
  counts.forEach((count, at) => {
    expect(count.operations).toBeGreaterThan(count.live);
    if (count.live > liveSearches[0]) expect(growthFrom(counts[at - 1]!, count)).toBeLessThanOrEqual(1);
  });
});
