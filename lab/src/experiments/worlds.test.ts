import { expect, it } from 'vitest';
import { planDefaults } from '../experiment/plan.ts';
import { measureAll } from '../experiment/runner.ts';
import { type LoneSpec, loneAnswers } from '../sim/lone-search.ts';
import { runTrial, type TrialSpec } from '../sim/trial.ts';
import { scorings, worlds } from '../sim/worlds.ts';
import { type WorldLine, worldsExperiment } from './worlds.ts';

const pool = { run: async (spec: TrialSpec) => runTrial(spec) };

it('pairs a policy with positive in a world, with one strand and with more on a tenth of the questions', async () => {
  const size = { settings: ['amc23/8b'], rows: ['safe'], seeds: [1, 2], requests: 20, budget: 8 } as const;
  const plan = { ...planDefaults, ...size, world: 'misleading', scoring: 'minimum' } as const;
  const { found } = await measureAll(worldsExperiment, plan, { pool });
  const { data } = worldsExperiment.report(found, plan);
  const { lines } = data as { lines: WorldLine[] };
  expect(lines.map(({ strands, questions }) => [strands, questions])).toEqual([
    [1, 40],
    [8, 4],
  ]);
  expect(lines[0]).toMatchObject({ world: 'misleading', scoring: 'minimum', row: 'safe' });
  expect(lines[0]!.saving).toBeGreaterThan(1);
  expect(Math.abs(lines[0]!.points)).toBeLessThan(10);
});

it('runs the searches of positive once for all policies', async () => {
  const size = { settings: ['amc23/8b'], rows: ['boost', 'safe'], requests: 10, oneStrand: true } as const;
  const rows: string[] = [];
  const lone = async (spec: LoneSpec) => {
    rows.push('policy' in spec.contender ? spec.contender.policy : '');
    return loneAnswers(spec);
  };
  const plan = { ...planDefaults, ...size, world: 'late', scoring: 'product' } as const;
  await measureAll(worldsExperiment, plan, { pool: { ...pool, lone } });
  expect(rows.sort()).toEqual(['boost', 'positive', 'safe']);
});

it('has cells for every world and scoring', () => {
  const cells = worldsExperiment.cells({ ...planDefaults, rows: ['positive', 'safe'], settings: ['math500/8b'] });
  expect(cells).toHaveLength(worlds.length * scorings.length * 2);
  expect(new Set(cells.map(({ seed }) => seed)).size).toBe(worlds.length);
  const lone = worldsExperiment.cells({ ...planDefaults, rows: ['safe'], settings: ['math500/8b'], oneStrand: true });
  expect(lone).toEqual(cells.filter(({ strands }) => strands === 1));
});
