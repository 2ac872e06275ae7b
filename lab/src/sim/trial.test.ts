import { describe, expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { latenciesOf, parseLoad, yieldOf } from '../service/index.ts';
import { capacityOf } from './capacity.ts';
import { compareCell, comparedCells } from './comparison.ts';
import { contenderOf } from './contenders.ts';
import { runTrial, type TrialSpec, trialDefaults } from './trial.ts';
import { TrialPool } from './trial-pool.ts';

const small: TrialSpec = {
  ...trialDefaults,
  setting: 'math500/8b',
  contender: contenderOf('boost'),
  requests: 10,
  budget: 6,
  arrivals: { kind: 'rate', perSecond: 1 },
};

describe('a simulated run', () => {
  it('gives the same bytes for the same spec, and others for another seed', () => {
    const once = JSON.stringify(runTrial(small));
    expect(JSON.stringify(runTrial(small))).toBe(once);
    expect(JSON.stringify(runTrial({ ...small, seed: 2 }))).not.toBe(once);
  });

  it('gives the same bytes on one thread and on two', async () => {
    const specs = ['vanilla', 'positive', 'boost'].map((row) => ({
      ...small,
      contender: contenderOf(row),
      requests: 6,
    }));
    const [one, two] = [new TrialPool({ threads: 1 }), new TrialPool({ threads: 2 })];
    try {
      const all = (pool: TrialPool) => Promise.all(specs.map((spec) => pool.run(spec)));
      expect(JSON.stringify(await all(two))).toBe(JSON.stringify(await all(one)));
      const lone = { ...small, questions: [3, 4, 5] };
      expect(await two.lone(lone)).toEqual(await one.lone(lone));
    } finally {
      await two.close();
    }
  });

  it('serves every request, at the same instants whatever the policy', () => {
    const runs = ['beam+positive', 'vanilla', 'boost'].map((row) =>
      runTrial({ ...small, contender: contenderOf(row) }),
    );
    for (const { served } of runs) {
      expect(served).toHaveLength(10);
      expect(served.map(({ arrivalMs }) => arrivalMs)).toEqual(runs[0]!.served.map(({ arrivalMs }) => arrivalMs));
      for (const { arrivalMs, endedMs } of served) expect(endedMs).toBeGreaterThan(arrivalMs);
    }
  });

  it('answers a question the same whatever the schedule, while the policy stays serial', () => {
    const at = (perSecond: number) =>
      runTrial({ ...small, contender: contenderOf('positive'), arrivals: { kind: 'rate', perSecond } }).served.map(
        ({ tokens, correct, rollouts, exit }) => ({ tokens, correct, rollouts, exit }),
      );
    expect(at(50)).toEqual(at(0.01));
  });

  it('runs one search at a time where asked, and faster with more rollouts in parallel', () => {
    const spec: TrialSpec = { ...small, arrivals: { kind: 'one-by-one' }, questions: [3, 5, 8], requests: 3 };
    const tookMs = [1, 4].map((budget) => {
      const { served } = runTrial({ ...spec, contender: { program: 'parallel' }, budget });
      expect(served.slice(1).map(({ arrivalMs }) => arrivalMs)).toEqual(
        served.slice(0, -1).map(({ endedMs }) => endedMs),
      );
      return served.at(-1)!.endedMs;
    });
    expect(tookMs[1]).toBeLessThan(0.8 * tookMs[0]!);
  });

  it('runs so many searches at a time where asked, also where several end in the same instant', () => {
    const arrivals = { kind: 'one-by-one', together: 2 } as const;
    const { served } = runTrial({ ...small, arrivals, questions: [3, 3, 3], requests: 3 });
    const [first, second, third] = served;
    expect(served).toHaveLength(3);
    expect([first!.arrivalMs, second!.arrivalMs]).toEqual([0, 0]);
    expect(second!.endedMs).toBe(first!.endedMs);
    expect(third!.arrivalMs).toBe(first!.endedMs);
  });

  it('measures capacity only where searches wait', () => {
    const backlog = runTrial({ ...small, arrivals: { kind: 'backlog' }, requests: 20 });
    const capacity = capacityOf(backlog)!;
    const { throughputPerSecond, p50Ms, p99Ms } = latenciesOf(backlog);
    expect(capacity).toBeGreaterThan(throughputPerSecond);
    expect(p99Ms).toBeGreaterThan(p50Ms);
    const { exits } = yieldOf(backlog);
    expect(Object.values(exits).reduce((sum, share) => sum + share, 0)).toBeCloseTo(100);
    expect(
      capacityOf(runTrial({ ...small, arrivals: { kind: 'rate', perSecond: 0.01 }, requests: 3 })),
    ).toBeUndefined();
  });
});

describe('samples without a tree', () => {
  const served = (row: string) =>
    yieldOf(runTrial({ ...small, contender: contenderOf(row), requests: 12, budget: 32 }));

  it('are simulated with the exits they can use', () => {
    const [greedy, voted, best, accepted] = ['greedy', 'self-consistency', 'best-of-n', 'best-of-n+positive'].map(
      served,
    );
    expect(greedy!.rollouts).toBe(1);
    expect([voted!.rollouts, best!.rollouts]).toEqual([16, 16]);
    expect(best!.tokens).toBe(voted!.tokens);
    expect(greedy!.tokens).toBeLessThan(best!.tokens / 8);
    expect(accepted!.tokens).toBeLessThan(best!.tokens);
    expect(accepted!.exits.accepted).toBeGreaterThan(40);
    expect(best!.accuracy).toBeGreaterThan(greedy!.accuracy);
  });
});

describe('exits of certainty', () => {
  it('end samples, rollouts and paths early, each program by the rules it can use', () => {
    const rows = ['self-consistency:window=4', 'vanilla', 'rebase'];
    const rules = [
      'threshold:certainAgreement=0.7',
      'threshold:certainAgreement=0.9',
      'threshold:certainAgreement=0.9',
    ];
    for (const [at, row] of rows.entries()) {
      const [without, certain] = [row, `${row}:certain=${rules[at]}`].map((name) =>
        yieldOf(runTrial({ ...small, contender: contenderOf(name), requests: 12, budget: 32 })),
      );
      expect(without!.exits.certain ?? 0).toBe(0);
      expect(certain!.exits.certain).toBeGreaterThan(10);
      expect(certain!.tokens).toBeLessThan(without!.tokens);
    }
  });
});

describe('loads', () => {
  it('are multiples of a capacity', () => {
    expect(parseLoad('0.6v')).toEqual({ name: '0.6v', factor: 0.6, of: 'vanilla' });
    expect(parseLoad('2p')).toEqual({ name: '2p', factor: 2, of: 'positive' });
    for (const bad of ['', '1', 'p', '-1p', '0v', '1x', '1e9p']) expect(() => parseLoad(bad)).toThrow(/load is/);
  });

  it('may be a rate, of which no policy is the yardstick', async () => {
    const chosen = { settings: ['math500/8b'], rows: ['positive'], loads: [parseLoad('0.5/s')] } as const;
    const [asked] = comparedCells({ ...planDefaults, ...chosen, requests: 8, budget: 4, rollouts: 2 });
    const run = async (spec: TrialSpec) => runTrial(spec);
    const cell = await compareCell(asked!, { run, once: run, lone: async () => [] });
    expect(cell.loads).toMatchObject([{ load: '0.5/s', perSecond: 0.5 }]);
  });
});
