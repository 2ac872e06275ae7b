// What going on costs a search follows those that wait; its judge reads ends of samples, and nothing else.

import { expect, it } from 'vitest';
import { redrive } from '../../../../tests/support/redrive.ts';
import { ToyEngine, ToyVerifier, ToyWorld } from '../../../../tests/support/toy.ts';
import { worth } from '../exit/worth.ts';
import type { LoggedEvent } from '../log/events.ts';
import { createScheduler } from '../policy/create.ts';
import { createAuto } from '../program/auto.ts';
import { Runtime } from './runtime.ts';
import type { SearchRequest, SearchResult } from './search/request.ts';

const price = 1e-3;

function request(id: string, over: Partial<SearchRequest['limits']> = {}): SearchRequest {
  return {
    id,
    prompt: { kind: 'text', text: id },
    program: createAuto({ samples: over.rollouts ?? 12, maxDepth: 6 }),
    rules: { exits: [worth], prunes: [], boost: false },
    limits: { threshold: 1, rollouts: 12, price, ...over },
    seed: 7,
    priority: 0,
    delimiters: ['\n'],
    stepTokens: 64,
    extract: (text) => text.slice(-1),
  };
}

function served(
  searches: number,
  budget: number,
  over: Partial<SearchRequest['limits']> = {},
  {
    fail = 0,
    weather = 1,
    delayMs = 10,
    trust = undefined as null | number | undefined,
    judge = undefined as string | undefined,
    branches = undefined as boolean | undefined,
  } = {},
) {
  const world = new ToyWorld();
  const storm = { fail, lose: 0, double: 0, delayMs, untilMs: 1e9 };
  const question = { ends: 0.4, shape: 4, twins: 0, ties: false };
  const engine = new ToyEngine(world, storm, weather, question);
  const verifier = new ToyVerifier(world, storm, weather, question);
  const faults: string[] = [];
  const events: LoggedEvent[] = [];
  const results: SearchResult[] = [];
  let widest = 0;
  const runtime: Runtime = new Runtime({
    engine,
    verifier,
    trust: () => trust,
    judge,
    ...(branches !== undefined && { branches: () => branches }),
    scheduler: createScheduler('vanilla'),
    budget,
    clock: world.clock,
    onEvent: (event) => {
      events.push(event);
      widest = Math.max(widest, runtime?.leasesTaken ?? 0);
    },
    onEnd: (result) => results.push(result),
    onFault: (search, { message }) => {
      if (search === undefined) faults.push(message);
    },
  });
  for (let at = 0; at < searches; at += 1) runtime.submit(request(`${at}`, over));
  world.run(runtime, 1_000_000, () => results.length === searches);
  const prices = events.flatMap(({ event, search }) => (event.type === 'priced' ? [{ search, ...event }] : []));
  return { results, events, prices, widest, faults };
}

it('is that of its effort while nobody waits, and more while others do', () => {
  expect(served(1, 8).prices.map((each) => each.price)).toEqual([price]);
  const { prices, results } = served(12, 8);
  const first = prices.filter(({ search }) => search === '0');
  expect(first[0]!.price).toBeGreaterThan(8 * price);
  expect(prices.at(-1)!.price).toBe(price);
  // Those that were served while others waited drew less, and say why.
  const evidence = results.map(({ id, exit }) => ({ id, ...exit.evidence }) as { id: string; load?: number });
  expect(evidence.find(({ id }) => id === '6')).toMatchObject({ samples: 1, load: 32 });
  expect(evidence.find(({ id }) => id === '11')!.load).toBeUndefined();
});

it('is more on a slow engine once its speed is known', () => {
  const { prices } = served(1, 8, { price: 1e-6 }, { delayMs: 10_000 });
  expect(prices[0]!.price).toBe(1e-6);
  expect(prices.at(-1)!.price).toBeCloseTo(4e-6, 12);
});

it('keeps all searches within the budget, two samples first', () => {
  const { widest, results, events } = served(9, 6);
  expect(results).toHaveLength(9);
  expect(widest).toBe(6);
  const drawn = (id: string) => events.filter(({ search, event }) => search === id && event.type === 'asked').length;
  expect(Math.min(...results.map(({ id }) => drawn(id)))).toBeGreaterThanOrEqual(2);
});

it.each([1, 2, 3, 4, 5, 6])('keeps within it where much fails, in weather %d', (weather) => {
  const { widest, results, faults } = served(40, 24, { price: price / 20 }, { fail: 0.2, weather });
  expect(faults).toEqual([]);
  expect(widest).toBeLessThanOrEqual(24);
  expect(results.filter(({ exit }) => exit.rule !== 'worth' && exit.rule !== 'rollouts')).toEqual([]);
});

it('has ends read where samples disagree, and counts nothing twice', () => {
  const { results, events } = served(1, 8, { price: 1e-6 });
  const [{ cost, rollouts }] = results as [SearchResult];
  const reads = events.filter(({ event }) => event.type === 'probed');
  expect(reads.length).toBeGreaterThan(2);
  expect(cost).toMatchObject({ verifierCalls: reads.length, discardedTokens: 0 });
  expect(rollouts).toBe(12);
  const closed = events.flatMap(({ event }) => (event.type === 'closed' ? [event.closing] : []));
  expect(closed.filter((closing) => closing === 'ended')).toHaveLength(reads.length);
});

it('has nothing read where the operator trusts the judge with nothing', () => {
  const { events, prices } = served(1, 8, { price: 1e-6 }, { trust: null });
  expect(events.filter(({ event }) => event.type === 'probed')).toEqual([]);
  expect(prices[0]!.judge).toBeUndefined();
});

it('asks a judge that is audited, and that no audit knows yet, to read split votes', () => {
  const isNew = (over: Parameters<typeof served>[3]) => served(1, 8, {}, over).prices[0]!.judge?.isNew;
  expect([isNew({ judge: 'j' }), isNew({ judge: 'j', trust: 0 }), isNew({})]).toEqual([true, undefined, undefined]);
});

it("knows where few waves fit into the time that is left: half of it, and then three samples' as they were measured", () => {
  const late = (deadlineMs?: number) =>
    served(3, 8, { price: 1e-6, ...(deadlineMs && { deadlineMs }) }).prices.map((each) => each.late);
  expect(late()).not.toContain(true);
  expect(late(60)).toContain(true);
});

it.each([1, 2, 3, 4])(
  'goes on below beginnings where that pays, and loses nothing where much fails, in weather %d',
  (weather) => {
    const { results, events, faults, widest } = served(
      30,
      24,
      { price: 1e-6 },
      { branches: true, trust: 0.5, fail: 0.1, weather },
    );
    expect(faults).toEqual([]);
    expect(widest).toBeLessThanOrEqual(24);
    expect(results.filter(({ exit }) => exit.rule !== 'worth' && exit.rule !== 'rollouts')).toEqual([]);
    const own = [...Map.groupBy(events, ({ search }) => search).values()].map((all) => all.map(({ event }) => event));
    for (const all of own) expect(redrive(request('', {}).program, all)).toBeUndefined();
    const begun = own.flatMap((all) => {
      const reads = new Set(all.flatMap((event) => (event.type === 'probing' ? [event.strand] : [])));
      return all.filter((event) => event.type === 'opened' && event.node !== 0 && !reads.has(event.strand));
    });
    expect(begun.length).toBeGreaterThan(15);
  },
);

it.each([1, 2, 3, 6, 7])(
  'draws %d rollouts and no more, and goes on below beginnings where there is room',
  (rollouts) => {
    const { results, prices } = served(1, 24, { price: 1e-6, rollouts }, { branches: true, trust: 0.5 });
    expect(results.map((each) => each.rollouts)).toEqual([rollouts]);
    expect(new Set(prices.map(({ branches }) => branches))).toEqual(new Set([rollouts < 7 ? undefined : 3]));
  },
);

it('draws no more below beginnings than without where many wait', () => {
  const drawn = (branches: boolean | undefined) => {
    const { results } = served(12, 8, {}, { branches, trust: 0.5 });
    return results.filter(({ exit }) => Number(exit.evidence.load) > 1).map(({ id, rollouts }) => [id, rollouts]);
  };
  expect(drawn(undefined).length).toBeGreaterThan(4);
  expect(drawn(true)).toEqual(drawn(undefined));
});

it('tries that in one search of twenty that a trusted judge reads, and nowhere else', () => {
  const tries = (over: Parameters<typeof served>[3]) => {
    const { prices } = served(200, 64, { price: 1e-6 }, over);
    return new Set(prices.flatMap(({ search, branches }) => (branches === undefined ? [] : [search]))).size;
  };
  const some = tries({ branches: false, trust: 0.5 });
  expect(some).toBeGreaterThan(2);
  expect(some).toBeLessThan(25);
  for (const over of [
    { trust: 0.5 },
    { branches: true, trust: 0 },
    { branches: true, trust: null },
    { branches: true, judge: 'new' },
  ])
    expect(tries(over)).toBe(0);
});
