// Sampling and seed of the steps of a search.

import type { ModelConfig } from '../../config/schema.ts';
import { samplingKnobs } from '../../config/vocabulary.ts';
import type { ProgramDefinition } from '../../program/definition.ts';
import type { Sampling } from '../../tree/step.ts';
import { given, type PlanRequest, type SearchPlan, type Wish } from './search-plan.ts';

/** Seed of a search at temperature 0 that names none. */
const coldSeed = 0;

/**
 * At temperature 0 siblings would all be one step, and a tree one path. The first path is greedy then, and the others are drawn at the
 * usual temperature with a fixed seed: the tree grows, and the same question gives the same answer.
 */
export function drawsOf(
  { wish, model: { config, engine }, seed }: PlanRequest,
  program: ProgramDefinition | undefined,
): Pick<SearchPlan, 'seed' | 'repeatable' | 'sampling' | 'firstGreedy'> {
  const sampling = samplingOf(wish, config, engine.capabilities.takes);
  const isCold = sampling.temperature === 0 && program?.takesTemperature === true;
  if (!isCold) return { seed: wish.seed ?? seed, repeatable: wish.seed !== undefined, sampling };
  const temperature = config.sampling.temperature || samplingKnobs.temperature.default;
  return { seed: wish.seed ?? coldSeed, repeatable: true, sampling: { ...sampling, temperature }, firstGreedy: true };
}

/** A `topK` of 0 is off. Draws are keyed by what is here: what is off is left out. */
function samplingOf(wish: Wish, { sampling }: ModelConfig, takes: readonly string[] = []): Sampling {
  const { topK, minP, topP } = { ...sampling, ...given(wish) };
  const extras = Object.entries(wish.extras ?? {})
    .filter(([name]) => takes.includes(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    temperature: wish.temperature ?? sampling.temperature,
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined || topK === 0 ? {} : { topK }),
    ...(minP === undefined ? {} : { minP }),
    ...(extras.length === 0 ? {} : { extras: Object.fromEntries(extras) }),
  };
}
