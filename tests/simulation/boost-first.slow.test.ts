// P0's failure case (§5.3) and its cure: boosting before admitting costs capacity, admitting before boosting does not. In
// virtual time, deterministic by seed; the bounds leave room around what was seen, they are not the figures of a report.

import { expect, it } from 'vitest';
import { capacityOf } from '../../lab/src/sim/capacity.ts';
import { contenderOf } from '../../lab/src/sim/contenders.ts';
import { runTrial, trialDefaults } from '../../lab/src/sim/trial.ts';

function capacity(row: string): number {
  const contender = contenderOf(row);
  const arrivals = { kind: 'backlog' } as const;
  const run = runTrial({
    ...trialDefaults,
    setting: 'amc23/14b',
    seed: 1,
    budget: 32,
    requests: 75,
    contender,
    arrivals,
  });
  return capacityOf(run)!;
}

it('boosting first loses capacity against the exits alone; admitting first keeps it', () => {
  const exitsAlone = capacity('positive+negative');
  expect(capacity('boost') / exitsAlone).toBeGreaterThan(0.98);
  expect(capacity('boost:first=boost:gate=0') / exitsAlone).toBeLessThan(0.95);
});
