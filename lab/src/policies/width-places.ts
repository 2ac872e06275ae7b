// Three machines with different costs of another strand: nothing until the GPU is full, the time of a reward model on the same GPU,
// or its own rows. Each has a budget of its size, and steps of its models' length.

import { embeddedOnTwoCores } from '../sim/embedded-machine.ts';
import { vllmOnH200 } from '../sim/h200-vllm.ts';
import { type TrialSpec, trialDefaults } from '../sim/trial.ts';

interface WidthPlace {
  readonly about: string;
  readonly spec: Omit<TrialSpec, 'contender' | 'arrivals' | 'seed' | 'requests'>;
}

const onGpu = { ...trialDefaults, setting: 'math500/8b', budget: 64 } as const;

export const widthPlaces = {
  h200: {
    about: 'an H200 for each model, tables of bare kernels, M 64, 16 rollouts',
    spec: { ...onGpu, size: { replicas: 1, sequenceLimit: 256 } },
  },
  shared: {
    about: 'one H200 for both models as vLLM serves them, no prefix reuse of the reward model, M 64, 16 rollouts',
    spec: { ...onGpu, machine: vllmOnH200 },
  },
  embedded: {
    about: 'the embedded engine on two cores, steps of 10 tokens, M 16, 8 rollouts',
    spec: { ...onGpu, machine: embeddedOnTwoCores, budget: 16, rollouts: 8, profile: { stepTokens: 10 } },
  },
} as const satisfies Record<string, WidthPlace>;

export type WidthPlaceName = keyof typeof widthPlaces;
export const widthPlaceNames = Object.keys(widthPlaces) as readonly WidthPlaceName[];
