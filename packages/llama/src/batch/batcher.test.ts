import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeCache, logitsAfter } from '../../../../tests/support/fake-cache.ts';
import { Random } from '../../../core/src/base/random.ts';
import type { Urgency } from '../../../core/src/engine/engine.ts';
import { PrefixStore } from '../prefix-cache/prefix-store.ts';
import { Batcher, type BatcherOptions } from './batcher.ts';
import type { Sequence } from './run.ts';

const VOCABULARY = 7;
const END = 0;

/** Takes the likeliest token, or a random one with some chance, until the end token or the limit. Its draws depend on its whole path. */
class Greedy implements Sequence {
  urgency: Urgency;
  readonly parent: number = 0;
  readonly search: string;
  readonly id: number;
  readonly prefix: readonly number[];
  readonly drawn: number[] = [];
  readonly limit: number;
  readonly endless: boolean;
  readonly chance: number;
  cut = false;

  constructor(
    id: number,
    prefix: readonly number[],
    options: Partial<Omit<Sequence, 'urgency'> & Urgency> & { limit?: number; endless?: boolean; chance?: number } = {},
  ) {
    this.id = id;
    this.prefix = prefix;
    this.search = options.search ?? 'search';
    this.limit = options.limit ?? 6;
    this.endless = options.endless ?? false;
    this.chance = options.chance ?? 0;
    this.urgency = { lane: options.lane ?? 'primary', priority: options.priority ?? 0 };
    if (options.parent !== undefined) this.parent = options.parent;
  }

  next(row: Float32Array): number | undefined {
    const token = tokenOf(row, this.chance, this.drawn.length);
    this.drawn.push(token);
    return (token === END && !this.endless) || this.drawn.length >= this.limit ? undefined : token;
  }

  outOfCells(): void {
    this.cut = true;
  }
}

function tokenOf(row: Float32Array, chance: number, position: number): number {
  if (chance === 0) return row.indexOf(Math.max(...row));
  const random = new Random(chance, position);
  const moved = row.map((logit) => logit + random.normal(0, 1));
  return moved.indexOf(Math.max(...moved));
}

/** The draws of a sequence that runs alone. */
function alone(prefix: readonly number[], limit: number, chance: number): number[] {
  const path = [...prefix];
  const drawn: number[] = [];
  for (;;) {
    const row = logitsAfter(path, VOCABULARY);
    const token = tokenOf(row, chance, drawn.length);
    drawn.push(token);
    if (token === END || drawn.length >= limit) return drawn;
    path.push(token);
  }
}

class World {
  readonly cache: FakeCache;
  readonly store: PrefixStore;
  readonly batcher: Batcher;
  readonly completed: number[] = [];
  readonly computed = new Map<number, number>();
  decodes = 0;
  rows = 0;

  constructor(cells: number, sequences: number, options: Partial<BatcherOptions> = {}) {
    this.cache = new FakeCache(cells, VOCABULARY);
    this.store = new PrefixStore(this.cache, { cells, sequences, keptLogits: 64 * VOCABULARY });
    this.batcher = new Batcher(this.store, { runningLimit: 8, rowLimit: 16, bulkRows: 16, ...options });
  }

  step(): void {
    const complete = (run: { sequence: { id: number }; computedPrefixTokens: number }) => {
      this.completed.push(run.sequence.id);
      this.computed.set(run.sequence.id, run.computedPrefixTokens);
    };
    const batch = this.batcher.plan(complete);
    if (batch.length > 0) {
      this.cache.decode(batch);
      this.decodes += 1;
      this.rows += batch.length;
      this.batcher.commit(batch, (index) => this.cache.logits(index), complete);
    }
    expect(this.cache.usedCells).toBe(this.store.usedCells + this.store.buriedCells);
  }

  finish(): void {
    for (let steps = 0; this.batcher.hasWork; steps++) {
      expect(steps).toBeLessThan(5_000);
      this.step();
    }
  }
}

describe('Batcher', () => {
  it('lets each sequence draw what it would draw alone, whatever else runs, waits, gives way or is removed', () => {
    const path = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 9 });
    const request = fc.record({
      path,
      limit: fc.integer({ min: 1, max: 9 }),
      lane: fc.constantFrom('primary' as const, 'speculative' as const),
      priority: fc.integer({ min: 0, max: 2 }),
      search: fc.constantFrom('a', 'b', 'c'),
      parent: fc.integer({ min: 0, max: 3 }),
      chance: fc.integer({ min: 0, max: 3 }),
      stepsBefore: fc.integer({ min: 0, max: 4 }),
      removed: fc.boolean(),
    });
    const world = fc.record({
      cells: fc.integer({ min: 20, max: 60 }),
      sequences: fc.integer({ min: 2, max: 9 }),
      runningLimit: fc.integer({ min: 1, max: 6 }),
      rowLimit: fc.integer({ min: 1, max: 12 }),
      bulkRows: fc.integer({ min: 1, max: 20 }),
    });
    const property = fc.property(fc.array(request, { minLength: 1, maxLength: 20 }), world, (requests, settings) => {
      const runningLimit = Math.min(settings.runningLimit, settings.sequences);
      const it = new World(settings.cells, settings.sequences, { ...settings, runningLimit });
      const sequences: Greedy[] = [];
      const removed = new Set<number>();
      for (const [id, each] of requests.entries()) {
        for (let step = 0; step < each.stepsBefore; step++) it.step();
        const victim = sequences.at(-1);
        if (each.removed && victim !== undefined && !it.completed.includes(victim.id)) {
          it.batcher.remove(victim.id);
          removed.add(victim.id);
        }
        sequences.push(new Greedy(id, each.path, each));
        it.batcher.add(sequences.at(-1)!);
      }
      it.finish();
      expect(new Set(it.completed).size).toBe(it.completed.length);
      for (const sequence of sequences) {
        if (removed.has(sequence.id)) continue;
        expect(it.completed).toContain(sequence.id);
        expect(sequence.cut).toBe(false);
        expect(sequence.drawn).toEqual(alone(sequence.prefix, sequence.limit, sequence.chance));
      }
      for (const search of ['a', 'b', 'c']) it.batcher.release(search);
      expect([it.store.usedCells, it.store.branches, it.store.freeSequences]).toEqual([0, 0, settings.sequences]);
      expect([it.cache.usedCells, it.store.buriedCells]).toEqual([0, 0]);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it('keeps the cells of a search that is alone in the order of its paths, whatever is taken back', () => {
    const request = fc.record({ chance: fc.integer({ min: 1, max: 9 }), stepsBefore: fc.integer({ min: 0, max: 3 }) });
    const property = fc.property(
      fc.array(request, { minLength: 2, maxLength: 12 }),
      fc.boolean(),
      (requests, crowd) => {
        const it = new World(400, 32, { runningLimit: 8 });
        const isInOrder = () => Array.from({ length: 32 }, (_, at) => it.cache.isInOrder(at)).every(Boolean);
        if (crowd) it.batcher.add(new Greedy(99, [5, 5], { search: 'other' }));
        for (const [id, { chance, stepsBefore }] of requests.entries()) {
          it.batcher.add(new Greedy(id, [1, 2, 3], { limit: 9, endless: true, chance }));
          for (let step = 0; step < stepsBefore; step++) it.step();
          if (id % 2 === 1) it.batcher.remove(id - 1);
          if (!crowd) expect(isInOrder()).toBe(true);
        }
        it.finish();
        if (!crowd) expect(isInOrder()).toBe(true);
        else expect(it.store.buriedCells).toBe(0);
      },
    );
    fc.assert(property, { numRuns: 200 });
  });

  it('gives cells that no branch holds to the sequence that needs them', () => {
    const it = new World(24, 8, { runningLimit: 2 });
    for (const id of [1, 2, 3, 4, 5, 6]) {
      it.batcher.add(new Greedy(id, [id, id, id], { limit: 9, endless: true }));
      for (let step = 0; step < 5; step++) it.step();
      it.batcher.remove(id);
    }
    const last = new Greedy(9, [1, 2, 1, 2, 1, 2, 1, 2, 1, 2], { limit: 9, endless: true });
    it.batcher.add(last);
    it.finish();
    expect([last.drawn.length, last.cut]).toEqual([9, false]);
  });

  it('computes a prefix once for all children of one parent, also for one that comes later', () => {
    const it = new World(200, 32, { runningLimit: 16 });
    const prefix = [1, 2, 3, 4, 5, 6, 1, 2, 3, 4];
    for (let id = 0; id < 8; id++) it.batcher.add(new Greedy(id, prefix, { limit: 1 }));
    it.finish();
    expect([...it.computed.values()].reduce((sum, each) => sum + each, 0)).toBe(prefix.length);
    expect(it.rows).toBe(prefix.length);
    it.batcher.add(new Greedy(8, prefix, { limit: 1 }));
    it.finish();
    expect(it.rows).toBe(prefix.length);
  });

  it('draws from what was computed for a twin, side by side or later, and computes alone what it alone has drawn', () => {
    const it = new World(200, 32, { runningLimit: 16 });
    const prefix = [1, 2, 3];
    const add = (id: number, chance: number) => {
      const each = new Greedy(id, prefix, { limit: 9, endless: true, chance });
      it.batcher.add(each);
      return each;
    };
    const all = [1, 1, 2, 1, 3, 2].map((chance, id) => add(id, chance));
    it.finish();
    const paths = new Set(all.flatMap(({ drawn }) => drawn.map((_, at) => drawn.slice(0, at).join())));
    expect(new Set(all.map(({ drawn }) => drawn.join())).size).toBe(3);
    expect(it.rows).toBe(prefix.length + paths.size - 1); // one row after each path of drawn tokens, none after the last
    const rows = it.rows;
    add(9, 2);
    it.finish();
    expect(it.rows).toBe(rows);
  });

  it('computes again what a twin had and room took away', () => {
    const it = new World(24, 8, { runningLimit: 2 });
    const first = new Greedy(1, [1, 1, 1], { limit: 6, endless: true });
    it.batcher.add(first);
    it.finish();
    it.batcher.add(
      new Greedy(2, [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], { search: 'other', limit: 2 }),
    );
    it.finish();
    const twin = new Greedy(3, [1, 1, 1], { limit: 6, endless: true });
    it.batcher.add(twin);
    it.finish();
    expect(twin.drawn).toEqual(first.drawn);
    expect(it.rows).toBeGreaterThan(8 + 20);
  });

  it('runs primary before speculative and lets speculative give way to a newcomer', () => {
    const it = new World(200, 32, { runningLimit: 1 });
    it.batcher.add(new Greedy(1, [1, 1], { lane: 'speculative', limit: 9, endless: true }));
    it.step();
    it.batcher.add(new Greedy(2, [3, 2], { lane: 'speculative', limit: 2 }));
    it.batcher.add(new Greedy(3, [2, 2], { lane: 'primary', limit: 2 }));
    it.finish();
    expect(it.completed).toEqual([3, 1, 2]);
  });

  it('lets speculation that has become wanted go before the rest, where it waits and where it runs', () => {
    const it = new World(200, 32, { runningLimit: 1 });
    it.batcher.add(new Greedy(1, [1, 1], { lane: 'speculative', limit: 4, endless: true }));
    it.step();
    it.batcher.add(new Greedy(2, [3, 2], { lane: 'speculative', limit: 2 }));
    it.batcher.add(new Greedy(3, [2, 2], { lane: 'speculative', limit: 2 }));
    it.batcher.update(3, { lane: 'primary', priority: 0 });
    it.batcher.update(9, { lane: 'primary', priority: 0 });
    it.step();
    it.batcher.update(1, { lane: 'primary', priority: 1 });
    it.finish();
    expect(it.completed).toEqual([3, 1, 2]);
  });

  it('takes higher priority first, then children of one parent together, parents in order of arrival', () => {
    const it = new World(200, 32, { runningLimit: 1 });
    const add = (id: number, parent: number, priority = 0) =>
      it.batcher.add(new Greedy(id, [1, parent + 1], { parent, priority, limit: 1 }));
    add(1, 1);
    add(2, 2);
    add(3, 1);
    add(4, 2);
    add(5, 3, 1);
    it.finish();
    expect(it.completed).toEqual([5, 1, 3, 2, 4]);
  });

  it('does not let a long prompt hold up those who generate', () => {
    const it = new World(400, 8, { rowLimit: 4, bulkRows: 16 });
    const quick = new Greedy(1, [1, 1], { limit: 9, endless: true });
    it.batcher.add(quick);
    it.step();
    it.batcher.add(
      new Greedy(
        2,
        Array.from({ length: 100 }, (_, index) => 1 + (index % 5)),
        { limit: 1 },
      ),
    );
    for (let step = 0; step < 6; step++) it.step();
    expect(quick.drawn.length).toBeGreaterThanOrEqual(4);
    expect(it.completed).not.toContain(2);
    it.finish();
    expect(it.completed).toContain(2);
  });

  it('ends a sequence that is alone and fills the whole cache, instead of failing or waiting for ever', () => {
    const it = new World(8, 2);
    const sequence = new Greedy(1, [1, 2, 3, 1, 2, 3], { limit: 99, endless: true });
    it.batcher.add(sequence);
    it.finish();
    expect(sequence.cut).toBe(true);
    expect(sequence.drawn.length).toBe(3);
    expect(it.completed).toEqual([1]);
  });

  it('drops the prefixes of a search with nothing in flight before those of an active one', () => {
    const it = new World(24, 8, { runningLimit: 2 });
    it.batcher.add(new Greedy(1, [1, 1, 1, 1, 1, 1], { search: 'active', limit: 1 }));
    it.finish();
    it.batcher.add(new Greedy(2, [2, 2, 2, 2, 2, 2], { search: 'quiet', limit: 1 }));
    it.finish();
    it.batcher.add(new Greedy(3, [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3], { search: 'active', limit: 1 }));
    it.finish();
    expect(it.store.match([1, 1, 1, 1, 1, 1]).length).toBe(6); // older, but its search was active
    expect(it.store.match([2, 2, 2, 2, 2, 2]).length).toBe(0);
  });
});
