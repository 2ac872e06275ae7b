// What the simulator proves is what production runs: the gateway's searches in virtual time admit as `npm run lab -- sim` does;
// and under ten times the load that it can bear, the gateway goes on giving complete answers.

import { describe, expect, it } from 'vitest';
import { type OpenLoad, runLoad } from '../../lab/src/micro/overload.ts';
import { contenderOf } from '../../lab/src/service/contenders.ts';
import { runTrial, trialDefaults } from '../../lab/src/sim/trial.ts';
import { runVirtually } from '../support/virtual-gateway.ts';

describe('one queue', () => {
  it.each(['positive', 'boost'] as const)('the gateway and the simulator admit alike: %s', async (policy) => {
    const run = { setting: 'math500/8b', seed: 3, budget: 6, requests: 40, perSecond: 3, rollouts: 4 } as const;
    const arrivals = { kind: 'rate', perSecond: run.perSecond } as const;
    const { served } = runTrial({ ...trialDefaults, ...run, arrivals, contender: contenderOf(policy) });
    // Whoever waits may wait for ever, as in the simulator.
    const answers = await runVirtually({ ...run, policy, deadlineMs: 1e12 });
    const waited = served.filter(({ arrivalMs, admittedMs }) => admittedMs! - arrivalMs > 1).length;
    expect(waited).toBeGreaterThan(10);
    expect(answers.map(({ arrivalMs }) => arrivalMs)).toEqual(served.map(({ arrivalMs }) => arrivalMs));
    expect(answers.map(({ admittedMs }) => admittedMs)).toEqual(served.map(({ admittedMs }) => admittedMs));
    expect(answers.map(({ endedMs }) => endedMs)).toEqual(served.map(({ endedMs }) => endedMs));
  });

  it('keeps its goodput at ten times the load that it can bear, and no answer is empty', async () => {
    const run = { setting: 'math500/8b', policy: 'positive', budget: 4, rollouts: 4, seed: 1 } as const;
    // The capacity that goodput.slow.test.ts finds, and five times the median that it measures.
    const load = { perSecond: 0.55, requests: 200, deadlineMs: 37_000 };
    const drive = (given: OpenLoad) => runVirtually({ ...run, ...given });
    const borne = await runLoad(drive, load);
    expect(borne.completeShare).toBeGreaterThanOrEqual(0.95);
    const overload = { ...load, perSecond: 10 * load.perSecond, requests: 6 * load.requests };
    const { completePerSecond, told, empty } = await runLoad(drive, overload);
    expect(completePerSecond).toBeGreaterThanOrEqual(0.9 * load.perSecond * borne.completeShare);
    expect(empty).toBe(0);
    // Most are refused at once, some given up while they wait; nobody is told anything else.
    expect(Object.keys(told).sort()).toEqual(['complete', 'deadline_passed', 'deadline_unreachable']);
    expect(told.deadline_unreachable).toBeGreaterThan(told.deadline_passed!);
  });
});
