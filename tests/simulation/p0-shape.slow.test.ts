// The shape of P0's comparison in one small setting: bounds with room around what lab/docs/experiments/p0.md reports, so that a
// change that turns the picture over is seen. Deterministic by seed.

import { beforeAll, describe, expect, it } from 'vitest';
import { planDefaults } from '../../lab/src/experiment/plan.ts';
import { measureAll } from '../../lab/src/experiment/runner.ts';
import { comparison } from '../../lab/src/experiments/comparison.ts';
import { parseLoad } from '../../lab/src/service/load.ts';
import type { Cell } from '../../lab/src/sim/comparison.ts';
import { TrialPool } from '../../lab/src/sim/trial-pool.ts';

const rows = ['vanilla', 'positive', 'positive+strict', 'positive+negative', 'boost'];

describe("P0's comparison on Math500 with the 8B model, twice positive's capacity", () => {
  let cells: Map<string, Cell>;

  beforeAll(async () => {
    const chosen = { settings: ['math500/8b'], rows, loads: [parseLoad('2p')], requests: 160 } as const;
    const pool = new TrialPool({ threads: 1 });
    const { found } = await measureAll(comparison, { ...planDefaults, ...chosen }, { pool });
    cells = new Map(found.map(({ result }) => [result.row, result]));
  });

  const of = (row: string) => cells.get(row)!;
  const p50 = (row: string) => of(row).loads[0]!.p50Ms;
  const p99 = (row: string) => of(row).loads[0]!.p99Ms;

  it('positive exit cuts p50 much and the tail little', () => {
    expect(p50('vanilla') / p50('positive')).toBeGreaterThan(2.5);
    expect(p99('vanilla') / p99('positive')).toBeGreaterThan(1.1);
    expect(p99('vanilla') / p99('positive')).toBeLessThan(2);
  });

  it('the negative exits cut p99 further, for little accuracy', () => {
    expect(p99('positive+strict')).toBeLessThanOrEqual(p99('positive'));
    expect(p99('positive+negative')).toBeLessThanOrEqual(p99('positive+strict'));
    expect(of('positive+strict').yield.exits.futile).toBeGreaterThan(2);
    expect(of('positive+strict').yield.exits.futile).toBeLessThan(10);
    expect(of('positive').yield.accuracy - of('positive+negative').yield.accuracy).toBeLessThan(4);
  });

  it('boosting shortens the tail, and costs little of the capacity of the exits alone', () => {
    expect(p99('positive+negative') / p99('boost')).toBeGreaterThan(1.3);
    // What it costs is what its strands have in flight when the search exits: those tokens are counted. 160 requests on 128
    // strands are mostly drain, where nobody waits and boosts are many; with a deep queue see boost-first.slow.test.ts.
    expect(of('boost').capacity / of('positive+negative').capacity).toBeGreaterThan(0.9);
  });

  it('capacity rises with every exit that is added', () => {
    const order = ['vanilla', 'positive', 'positive+strict', 'positive+negative'].map((row) => of(row).capacity);
    expect([...order].sort((a, b) => a - b)).toEqual(order);
  });
});
