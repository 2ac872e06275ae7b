import { hash } from '@coppice/core/base';
import { describe, expect, it } from 'vitest';
import { readPlan } from '../commands/cluster.ts';
import { arrivalsOf, floodQuota } from './arrivals.ts';
import { addedLines } from './cluster-report.ts';
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
  policy: 'safe',
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

  it('is what it was, where its own work costs nothing: a change of decisions, routing or order changes this on purpose', async () => {
    const result = await runGroup({ ...small, capacity: 'ideal' });
    const { heapBytes: _, decisions: steps, happened, ...rest } = result;
    expect(steps).toBeLessThan(happened);
    const { events, calls, generatedTokens } = rest;
    const signature = hash(JSON.stringify(rest));
    expect({ events, calls, generatedTokens, signature }).toEqual({
      events: 950,
      calls: 457,
      generatedTokens: 97_845,
      signature: 2_592_524_953,
    });
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
    const tokens = [...question.tokens, ...JSON.parse(`[${texts.write(question, step)}]`)];
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

  it('what was called off does not happen, and many of them leave the clock', async () => {
    const time = new VirtualTime();
    const seen: number[] = [];
    const due = Array.from({ length: 3000 }, (_, at) => time.at(at, () => seen.push(at)));
    for (const each of due) if (each.atMs % 1000 !== 7) time.callOff(each);
    time.callOff(due[0]!);
    await time.run(5000);
    expect([seen, time.happened]).toEqual([[7, 1007, 2007], 3]);
  });

  it('a failure in what happens ends the run', async () => {
    const time = new VirtualTime();
    time.at(1, () => {
      throw new Error('broken');
    });
    await expect(time.run(2)).rejects.toThrow('broken');
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

describe('one key that floods', () => {
  it('gets what its quota lets in over all nodes, and a little more while they tell each other', async () => {
    const spec: GroupSpec = { ...small, searches: 40, load: 'flat', faults: ['flood'], rollouts: 1 };
    const { answers, lost, doubled } = await runGroup(spec);
    const flood = answers.filter(({ key }) => key === 'flood');
    const served = flood.filter(({ tookMs }) => tookMs !== undefined).length;
    expect([floodQuota(spec), flood.length, lost, doubled]).toEqual([10, 16, 0, 0]);
    expect(flood.filter(({ isRefused }) => isRefused).length).toBe(flood.length - served);
    expect(served).toBeGreaterThanOrEqual(10);
    // Nodes tell each other every two seconds, in which the flood brings three.
    expect(served).toBeLessThanOrEqual(13);
    expect(answers.some(({ key, isRefused }) => isRefused && key !== 'flood')).toBe(false);
  });
});

describe('what nodes and database add', () => {
  it('is said of the same searches, with an interval that two equal runs close', () => {
    const took = (ms: number) => ({ answers: [{ key: 'north', atMs: 0, tookMs: ms, isRefused: false }] });
    const run = (times: number) => [10_000, 20_000, 30_000].map((ms) => took(ms * times) as unknown as GroupResult);
    expect(addedLines(run(1.5), run(1))[2]).toBe('| mean | 20.00 | 30.00 | 50.0 % | -12.1 % to 112.1 % |');
    expect(addedLines(run(1), run(1)).at(-1)).toContain('| 0.0 % | 0.0 % to 0.0 % |');
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
