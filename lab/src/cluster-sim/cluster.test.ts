import { describe, expect, it } from 'vitest';
import { readPlan } from '../commands/cluster.ts';
import { arrivalsOf } from './arrivals.ts';
import type { GroupSpec } from './cluster-spec.ts';
import { Cores } from './cores.ts';
import { runGroup } from './group.ts';
import type { GroupResult } from './group-result.ts';
import { TokenTexts } from './token-texts.ts';
import { VirtualTime } from './virtual-time.ts';

const small: GroupSpec = {
  ...{
    seed: 3,
    group: 0,
    replicas: 4,
    nodes: 3,
    databaseCores: 1,
    replicasPerScorer: 8,
    searches: 12,
    minutes: 1,
    rollouts: 2,
  },
  load: 'day',
  faults: ['rack', 'node', 'slow', 'flood'],
  capacity: 'measured',
  gpus: 'mixed',
};

function figures({ heapBytes, ...rest }: GroupResult): unknown {
  expect(heapBytes).toBeGreaterThan(0);
  return rest;
}

describe('a small cluster under every fault', () => {
  it('loses and doubles nothing, and is the same for the same seed', async () => {
    const result = await runGroup(small);
    const { asked, served, lost, doubled, refused, moved, askedAgain } = result;
    const turnedAway = Object.values(refused).reduce((sum, each) => sum + each, 0);
    expect({ lost, doubled, unheard: asked - served - turnedAway }).toEqual({ lost: 0, doubled: 0, unheard: 0 });
    // The node that died had something to do.
    expect(moved + askedAgain).toBeGreaterThan(0);
    expect(figures(await runGroup(small))).toEqual(figures(result));
  });

  it('takes no time of nodes and database where they cost nothing', async () => {
    const { nodeBusyMs, databaseBusyMs, served } = await runGroup({
      ...small,
      faults: [],
      capacity: 'ideal',
      searches: 3,
    });
    expect({ nodeBusyMs, databaseBusyMs, served }).toEqual({ nodeBusyMs: 0, databaseBusyMs: 0, served: 3 });
  });
});

describe('its parts', () => {
  it('a core does work in order, and two do two at a time', () => {
    const one = new Cores(1);
    expect([one.work(0, 10), one.work(5, 10), one.work(100, 1)]).toEqual([10, 20, 101]);
    const two = new Cores(2);
    expect([two.work(0, 10), two.work(0, 10), two.work(0, 10)]).toEqual([10, 10, 20]);
    expect(two.busyMs).toBe(30);
    expect(new Cores(0.25).work(0, 10)).toBe(40);
  });

  it('tokens say which path they are, until the question is over', () => {
    const texts = new TokenTexts();
    const question = texts.question('why', 3);
    const step = { text: 'so', tokens: 2, meanLogprob: 0, end: 'delimiter' } as const;
    const tokens = [...question.tokens, ...texts.write(question, step)];
    expect(texts.read(tokens)?.path.map(({ step: { text } }) => text)).toEqual(['so']);
    texts.over('why');
    expect(texts.read(tokens)).toBeUndefined();
  });

  it('promises settle before the next moment comes', async () => {
    const time = new VirtualTime();
    const seen: string[] = [];
    time.at(1, async () => {
      await Promise.resolve();
      await Promise.resolve();
      seen.push('first');
    });
    time.at(1, () => seen.push('second'));
    time.gpu.lateAt(1, () => seen.push('late'));
    time.at(1, () => seen.push('third'));
    await time.run(2);
    expect(seen).toEqual(['first', 'second', 'third', 'late']);
  });

  it('a day has its peak in the middle, and a flood comes on top', () => {
    const spec = { ...small, searches: 4000, faults: [] };
    const within = (from: number, to: number) =>
      arrivalsOf(spec).filter(({ atMs }) => atMs >= from * 60_000 && atMs < to * 60_000).length;
    // The rate is 1 − cos(2πx) / 2: over the middle fifth 1.47 times the mean, over the outer two 0.53.
    expect(within(0.4, 0.6) / 4000).toBeCloseTo(0.294, 1);
    expect((within(0, 0.1) + within(0.9, 1)) / 4000).toBeCloseTo(0.106, 1);
    expect(arrivalsOf({ ...spec, faults: ['flood'] })).toHaveLength(4000 + 1600);
  });
});

describe('bad input', () => {
  it.each([
    [['--nodes', '65'], '--nodes'],
    [['--replicas', '1001'], '--replicas'],
    [['--faults', 'rack,fire'], "--faults is 'fire'"],
    [['--replicas', '10', '--group-size', '2', '--nodes', '4'], '5 groups of --group-size 2 need one each'],
    [['--load', 'night'], '--load'],
  ])('%j is refused in one line', (args, words) => {
    expect(() => readPlan(args)).toThrow(words);
  });
});
