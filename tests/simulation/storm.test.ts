// 200 seeded storms in every run of the fast suite; a seed that fails is kept below by name.

import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { isTreeEvent } from '../../packages/core/src/log/events.ts';
import { Tree } from '../../packages/core/src/tree/tree.ts';
import { checkers, expansionsOf } from './checkers.ts';
import { runStorm, type Storm } from './storm.ts';

const seeds = Array.from({ length: 200 }, (_, seed) => seed);

function complaints(storm: Storm): string[] {
  return Object.entries(checkers).flatMap(([name, check]) => {
    const complaint = check(storm);
    return complaint === undefined ? [] : [`seed ${storm.seed}, ${name}: ${complaint}`];
  });
}

function trace({ log, results }: Storm): string {
  return createHash('sha256')
    .update(JSON.stringify([log, results]))
    .digest('hex');
}

describe('storms, then calm', () => {
  /** Run once; what every test looks at is what each left behind. */
  let storms: readonly Storm[] = [];
  beforeAll(() => {
    storms = seeds.map(runStorm);
  });

  it('leave no search unfinished, no lease unreturned and no budget exceeded', () => {
    expect(storms.flatMap(complaints)).toEqual([]);
  });

  it('run the same again from the same seed', () => {
    for (const storm of storms.slice(0, 25)) expect(trace(runStorm(storm.seed))).toBe(trace(storm));
    expect(trace(storms[1]!)).not.toBe(trace(storms[2]!));
  });

  it('leave logs that replay', () => {
    for (const { log, submitted } of storms.slice(0, 50)) {
      for (const id of submitted) {
        const events = log.filter(({ search }) => search === id).map(({ event }) => event);
        const tree = Tree.replay(events.filter(isTreeEvent));
        expect(tree.strands.size).toBe(0);
      }
    }
  });

  it('see all kinds of weather', () => {
    const kinds = new Set<string>();
    let halved = 0;
    for (const storm of storms) {
      for (const { exit } of storm.results) kinds.add(exit.kind);
      for (const id of storm.expandingOnce) halved += expansionsOf(storm, id).halved;
    }
    expect([...kinds].sort()).toEqual([
      'accepted',
      'cancelled',
      'certain',
      'deadline',
      'exhausted',
      'failed',
      'futile',
    ]);
    // Preempted in the middle of an expansion.
    expect(halved).toBeGreaterThan(10);
  });
});
