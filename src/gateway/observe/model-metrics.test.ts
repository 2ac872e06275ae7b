import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { addDraftMetrics } from './draft-metrics.ts';
import { addGrowthMetrics } from './growth-metrics.ts';
import type { ObservedModel } from './observed.ts';

const guesses = (count: number) => Array.from({ length: count }, (_, at) => ({ guessed: 10 - at, right: at }));

it('counts guesses by distance and by depth, the farthest and the deepest together', async () => {
  const registry = new Registry();
  const total = { paths: 1, pathTokens: 80, pathMs: 500, byDistance: guesses(5), byDepth: guesses(10) };
  addGrowthMetrics(registry, () => [{ name: 'm', growth: { total } } as unknown as ObservedModel]);
  const lines = (await registry.metrics()).split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      'coppice_guesses_total{model="m",ahead="1"} 10',
      'coppice_guesses_total{model="m",ahead="4+"} 13',
      'coppice_guesses_right_total{model="m",ahead="4+"} 7',
      'coppice_guesses_by_depth_total{model="m",depth="7"} 4',
      'coppice_guesses_by_depth_right_total{model="m",depth="8+"} 24',
    ]),
  );
});

it('tells what the trial of a draft model said and what the model proposes, of models that have one', async () => {
  const registry = new Registry();
  const drafting = { gain: 1.25, isUsed: true, draftedTokens: 40, acceptedTokens: 30 };
  const models = [
    { name: 'drafted', engine: { load: () => ({ drafting }) } },
    { name: 'plain', engine: { load: () => ({}) } },
  ] as unknown as ObservedModel[];
  addDraftMetrics(registry, () => models);
  const values = (await registry.metrics()).split('\n').filter((line) => /^[^#]/.test(line));
  expect(values).toEqual([
    'coppice_draft_gain{model="drafted"} 1.25',
    'coppice_draft_used{model="drafted"} 1',
    'coppice_draft_tokens_total{model="drafted"} 40',
    'coppice_draft_accepted_tokens_total{model="drafted"} 30',
  ]);
});
