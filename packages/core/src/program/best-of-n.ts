// Programs of independent samples: best-of-n takes the one with the highest score (or lets them vote, weighted by score),
// self-consistency the answer that most of them give; greedy is a single sample at temperature 0.

import type { Knobs } from '../base/knob.ts';
import { coldest, greedySampling } from '../tree/step.ts';
import { defineProgram } from './definition.ts';
import type { Program } from './program.ts';
import { Samples, type SamplesOptions, samplesDefaults, samplesShape } from './samples.ts';

export function createBestOfN(options: Partial<SamplesOptions> = {}): Program {
  return new Samples('best-of-n', true, { ...samplesDefaults, ...options });
}

/** It votes by its nature: `choose` says whether by how sure the model was. */
export function createSelfConsistency(options: Partial<SamplesOptions> = {}): Program {
  const choose = options.choose === 'confident' ? 'confident' : 'vote';
  return new Samples('self-consistency', false, { ...samplesDefaults, ...options, choose });
}

export function createGreedy(
  options: Partial<Pick<SamplesOptions, 'maxDepth' | 'maxPathTokens' | 'sampling' | 'thinking'>> = {},
): Program {
  return new Samples('greedy', false, {
    ...samplesDefaults,
    ...options,
    samples: 1,
    sampling: coldest(options.sampling ?? greedySampling),
  });
}

const windowKnobs = {
  window: {
    default: 0,
    low: 0,
    high: 100_000,
    whole: true,
    unit: 'samples',
    client: 'coppice',
    why: 'samples that are open at a time: 0 opens all at once, which is fastest; fewer leave more to save for an exit that comes early',
  },
} as const satisfies Knobs;

export const bestOfN = defineProgram({
  ...samplesShape,
  name: 'best-of-n',
  summary: 'independent samples, of which the one with the highest score is the answer',
  needsVerifier: true,
  takesTemperature: true,
  options: windowKnobs,
  create: ({ rollouts: samples, branching: _, ...size }, options) => createBestOfN({ samples, ...options, ...size }),
});

export const selfConsistency = defineProgram({
  ...samplesShape,
  name: 'self-consistency',
  summary: 'independent samples, and the answer that most of them give; needs no verifier',
  needsVerifier: false,
  takesTemperature: true,
  options: windowKnobs,
  create: ({ rollouts: samples, branching: _, ...size }, options) =>
    createSelfConsistency({ samples, ...options, ...size }),
});

export const greedy = defineProgram({
  ...samplesShape,
  name: 'greedy',
  summary: 'a single sample at temperature 0',
  needsVerifier: false,
  takesTemperature: false,
  options: {},
  create: ({ maxDepth, maxPathTokens, sampling, thinking }) =>
    createGreedy({ maxDepth, maxPathTokens, sampling, thinking }),
});
