import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contenderOf } from '../sim/contenders.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';
import type { LabExperiment } from './experiment.ts';
import { KeptResults } from './kept-results.ts';
import { planDefaults } from './plan.ts';
import { measureAll } from './runner.ts';

interface Doubled {
  readonly seed: number;
}

const specOf = (seed: number): TrialSpec => {
  const spec = { ...trialDefaults, setting: 'math500/8b', requests: 1, arrivals: { kind: 'backlog' } } as const;
  return { ...spec, seed, contender: contenderOf('boost') };
};

/** A yardstick that every cell needs, and a trial of its own. */
const doubling: LabExperiment<Doubled, { readonly tokens: number; readonly lost: number | undefined }> = {
  name: 'doubling',
  about: '',
  page: '',
  takes: '',
  published: [],
  preset: {},
  flags: [],
  cells: ({ seeds }) => seeds.map((seed) => ({ seed })),
  measure: async ({ seed }, trials) => {
    const [yardstick, own] = await Promise.all([trials.once(specOf(1000)), trials.run(specOf(seed))]);
    return { tokens: yardstick.evictedTokens + own.evictedTokens, lost: undefined };
  },
  report: () => ({ head: '', body: [], data: {} }),
};

/** Gives the seed back, later for smaller ones. */
function counting() {
  const seeds: number[] = [];
  const run = async ({ seed }: TrialSpec): Promise<TrialResult> => {
    seeds.push(seed);
    for (let turn = 20 - seed; turn > 0; turn -= 1) await Promise.resolve();
    return { evictedTokens: seed } as unknown as TrialResult;
  };
  return { seeds, pool: { run } };
}

const plan = { ...planDefaults, seeds: [1, 2, 3] };

it('gives results in the order of the plan, and runs what several cells need once', async () => {
  const { seeds, pool } = counting();
  const { found } = await measureAll(doubling, plan, { pool });
  expect(found).toEqual([1, 2, 3].map((seed) => ({ cell: { seed }, result: { tokens: 1000 + seed } })));
  expect(seeds.sort()).toEqual([1, 1000, 2, 3]);
});

it('keeps each result as it comes, measures what is not there, and says the same as if it had measured all', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'runner-')), 'doubling.jsonl');
  const keptIn = (fresh = false) => new KeptResults(file, { code: 'a', fresh });
  await measureAll(doubling, { ...plan, seeds: [1, 3] }, { pool: counting().pool, kept: keptIn() });
  const again = counting();
  const resumed = await measureAll(doubling, plan, { pool: again.pool, kept: keptIn() });
  expect(again.seeds.sort()).toEqual([1000, 2]);
  expect(resumed).toEqual(await measureAll(doubling, plan, { pool: counting().pool }));
  const fresh = counting();
  await measureAll(doubling, plan, { pool: fresh.pool, kept: keptIn(true) });
  expect(fresh.seeds.sort()).toEqual([1, 1000, 2, 3]);
});

it('has kept what was done when a cell fails', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'runner-')), 'doubling.jsonl');
  const { pool } = counting();
  const failing = {
    run: (spec: TrialSpec) => (spec.seed === 2 ? Promise.reject(new Error('out of memory')) : pool.run(spec)),
  };
  const kept = new KeptResults(file, { code: 'a' });
  await expect(measureAll(doubling, plan, { pool: failing, kept, lanes: 1 })).rejects.toThrow('out of memory');
  const again = counting();
  await measureAll(doubling, plan, { pool: again.pool, kept: new KeptResults(file, { code: 'a' }) });
  expect(again.seeds.sort()).toEqual([1000, 2, 3]);
});
