import { describe, expect, it } from 'vitest';
import type { ServedModel } from '../../models/served-model.ts';
import type { LiveSearch } from '../../searches/live-search.ts';
import type { ObservedSearches } from '../../searches/searches-options.ts';
import { Overview, sampleMs } from './overview.ts';

describe('the history that the server keeps', () => {
  it('holds how the last 15 minutes went, and no more', () => {
    let nowMs = 0;
    let leasesTaken = 0;
    const model = {
      runtime: {
        queue: { budget: 8 },
        get leasesTaken() {
          return leasesTaken;
        },
      },
    } as unknown as ServedModel;
    const searches: ObservedSearches = {
      live: [],
      models: new Map([['m', model]]),
      admission: { waiting: 3, running: 2 },
    };
    const overview = new Overview({ nowMs: () => nowMs });
    for (let at = 0; at < 500; at += 1) {
      nowMs = at * sampleMs;
      leasesTaken = at % 9;
      overview.sample(searches);
    }
    const { history } = overview;
    expect(history).toHaveLength(180);
    expect(history[0]).toEqual({ at_ms: 320 * sampleMs, used: 320 % 9, total: 8 });
    expect(history.at(-1)?.at_ms).toBe(499 * sampleMs);
  });
});

interface Listed {
  readonly id: string;
  readonly state: string;
  readonly turn?: number;
  readonly tokens?: number;
  readonly idle?: boolean;
}

function searchesOf(listed: readonly Listed[]): ObservedSearches {
  const live = listed.map(({ id, state, turn = 0, tokens = 0, idle = false }) => {
    const facts = { owner: id.startsWith('b') ? 'bob' : 'ada', title: id, createdMs: 0, plan: { model: 'm', idle } };
    const summary = { width: {}, tokens };
    return { id, state, turn, facts, summary } as unknown as LiveSearch;
  });
  return { live, models: new Map(), admission: { waiting: 0, running: 0 } };
}

const journal = { kind: 'sqlite', healthy: true, unwritten: 0, oldest_unwritten_ms: 0, failures: 0, bytes: 0 };

describe('searches that have not ended', () => {
  it('count by the tokens they have generated so far, in the sum and in the rate', () => {
    let nowMs = 0;
    const overview = new Overview({ nowMs: () => nowMs });
    const tokensOf = (searches: ObservedSearches) => overview.frame(searches, 10, journal).tokens;
    nowMs = 10_000;
    expect(tokensOf(searchesOf([{ id: 'a', state: 'running', tokens: 500 }]))).toMatchObject({
      generated: 500,
      per_second: 50,
    });
    for (const tokens of [500, 600, 700]) {
      overview.sample(searchesOf([{ id: 'a', state: 'running', tokens }]));
      nowMs += sampleMs;
    }
    const both = searchesOf([
      { id: 'a', state: 'running', tokens: 900 },
      { id: 'b', state: 'running', tokens: 50 },
    ]);
    expect(tokensOf(both)).toMatchObject({ generated: 950, per_second: 30 });
  });

  it('are listed in the order of the queue, each with its place in it', () => {
    const overview = new Overview({ nowMs: () => 0 });
    const searches = searchesOf([
      { id: 'batch', state: 'queued', turn: 1, idle: true },
      { id: 'b-late', state: 'queued', turn: 9 },
      { id: 'a-runs', state: 'running', turn: 3 },
      { id: 'a-early', state: 'queued', turn: 4 },
      { id: 'a-ended', state: 'done' },
    ]);
    const placesOf = (owner?: string) => overview.listed(searches, owner).map(({ id, place }) => [id, place]);
    expect(placesOf()).toEqual([
      ['a-runs', null],
      ['a-early', 1],
      ['b-late', 2],
      ['batch', 3],
    ]);
    expect(placesOf('bob')).toEqual([
      ['b-late', 2],
      ['batch', 3],
    ]);
  });
});
