// The program `mcts`: its options, their defaults and reasons. How it searches stands in rollouts.ts; its variants `rest` and `rstar` are
// files of their own.

import { defineProgram, usualSize } from '../definition.ts';
import { priorKnob } from '../prior.ts';
import type { Program } from '../program.ts';
import { type MctsOptions, playMcts } from './rollouts.ts';
import { selections } from './wu-puct.ts';

/** 16 rollouts of 4 steps are our choice (P0 has 12 in figure 2, 32 in figure 3); what else it leaves open is decided in docs/decisions/0002-mcts-constants.md. */
export const mctsDefaults: MctsOptions = {
  ...usualSize,
  rollouts: 16,
  branching: 4,
  selection: 'puct',
  exploration: 1,
  prior: 'logprob',
};

export function createMcts(options: Partial<MctsOptions> = {}): Program {
  return playMcts(mcts, { ...mctsDefaults, ...options }, {});
}

export const mcts = defineProgram({
  name: 'mcts',
  summary: 'Monte Carlo tree search that keeps its nodes: every rollout goes on from the most promising leaf (P0)',
  needsVerifier: true,
  expandsOnce: true,
  takesTemperature: true,
  options: {
    selection: {
      default: 'puct',
      values: selections,
      internal: true,
      unit: 'formula',
      why: 'WU-PUCT of P0 §4.2; uct leaves out the priors of the model',
    },
    exploration: {
      default: 1,
      low: 0,
      high: 1000,
      internal: true,
      unit: 'score',
      why: 'c of PUCT or UCT: more looks at branches that were visited less (docs/decisions/0002-mcts-constants.md)',
    },
    prior: priorKnob,
  },
  create: (size, options) => createMcts({ ...size, ...options }),
});
