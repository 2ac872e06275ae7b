// How the steps of a search are drawn: with what sampling and seed, and by which models.

import type { ModelConfig } from '../../config/schema.ts';
import { samplingKnobs } from '../../config/vocabulary.ts';
import type { ProgramDefinition } from '../../program/definition.ts';
import type { Prompt, Sampling } from '../../tree/step.ts';
import { refuseSetting } from './refusal.ts';
import type { PlannedModel, PlanRequest, SearchPlan, Wish } from './search-plan.ts';

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
  const { topK = sampling.topK, minP = sampling.minP, topP = sampling.topP } = wish;
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

/**
 * Writers of a search: for a program that asks several models, those of its model's panel, each with the question in its own form; and the
 * model itself if its tokens have a price. Refuses a panel that names what is not here.
 */
export function panelOf(
  { model, others }: PlanRequest,
  program: ProgramDefinition | undefined,
  promptFor: (member: PlannedModel) => Prompt,
): Pick<SearchPlan, 'panel' | 'synthesizer' | 'writers'> {
  const { name, price } = model.config;
  const { models: panel, synthesizer } = model.config.panel ?? {};
  const own = { [name]: { price } };
  // Without a panel such a program asks its own model alone.
  if (!program?.asksModels || panel === undefined) {
    return { ...(price && { writers: own }), ...(program?.asksModels && synthesizer !== undefined && { synthesizer }) };
  }
  const named = new Set(synthesizer === undefined ? panel : [...panel, synthesizer]);
  named.delete(name);
  const writers = Array.from(named, (each) => {
    const member = memberOf(others, each, name);
    return [each, { prompt: promptFor(member), price: member.config.price }] as const;
  });
  return { panel, synthesizer, writers: { ...own, ...Object.fromEntries(writers) } };
}

function memberOf(others: PlanRequest['others'], member: string, name: string): PlannedModel {
  const found = others?.get(member);
  if (found !== undefined) return found;
  const known = [...(others?.keys() ?? [])].join(', ');
  const what = `asks the panel of model '${name}', which names '${member}': there is no such model`;
  return refuseSetting('unsupported', 'program', known === '' ? what : `${what}; there are ${known}`);
}
