// A simulated search with parts that the product no longer has. The knobs are rows of published tables; they turn plug-ins of this folder
// and two seams of the scheduler.

import { type BuiltSearch, buildSearch, type SearchPlan } from '@coppice/core/answering';
import { defaultsOf, type OptionsOf, raise } from '@coppice/core/base';
import { policyDefinition, policyOf } from '@coppice/core/policy';
import { programOf } from '@coppice/core/program';
import { createScheduler, type Knobs, type PartOptions, type Scheduler } from 'coppice';
import { boostingRoom, preemptEagerly } from './algorithm-1-letter.ts';
import { chancePrune } from './chance-prune.ts';
import { confidencePrune } from './confidence-prune.ts';
import { fixedElasticity } from './fixed-elasticity.ts';
import { lengthExit } from './length-exit.ts';
import { scoredShares } from './scored-shares.ts';

const { beta, lambda, progress } = scoredShares.options;
const { elasticity } = fixedElasticity.options;

export const lostKnobs = {
  beta,
  lambda,
  progress,
  elasticity,
  ...chancePrune.options,
  ...confidencePrune.options,
  ...lengthExit.options,
  first: { default: 'admit', values: ['admit', 'boost'], unit: 'who', why: 'who gets freed strands first: P0 §5.3' },
  preemption: { default: 'needed', values: ['needed', 'eager'], unit: 'when', why: 'Algorithm 1 to the letter' },
} as const satisfies Knobs;

export type LostSettings = Partial<OptionsOf<typeof lostKnobs>>;

export function lostSearch(plan: SearchPlan, given: LostSettings): { built: BuiltSearch; scheduler: Scheduler } {
  const lost = { ...defaultsOf(lostKnobs), ...given };
  const scored = (['beta', 'lambda', 'progress'] as const).find((name) => given[name] !== undefined);
  const { gate, widths } = plan.policyOptions;
  if (scored !== undefined && widths !== 'shares')
    raise('bad-setting', `${scored} turns the score of widths 'shares'; those of the row are '${widths}'`);
  const isFixed = given.elasticity !== undefined;
  if (isFixed && widths !== 'gain')
    raise('bad-setting', `elasticity takes the place of widths 'gain'; those of the row are '${widths}'`);
  const definition = policyDefinition({
    ...policyOf(plan.policy),
    exits: lost.lengthExit === 0 ? [] : [lengthExit],
    prunes: [
      ...(lost.chancePrune === 0 ? [] : [chancePrune]),
      ...(lost.confidencePrune === 0 ? [] : [confidencePrune]),
    ],
    ...(scored && { widths: scoredShares }),
    ...(isFixed && { widths: fixedElasticity }),
  });
  const options: PartOptions = {
    ...(lost.lengthExit === 0 ? {} : { lengthExit: lost.lengthExit, lengthAnswers: lost.lengthAnswers }),
    ...(lost.chancePrune === 0 ? {} : { chancePrune: lost.chancePrune }),
    ...(lost.confidencePrune === 0 ? {} : sureness(lost)),
    ...(scored && { beta: lost.beta, lambda: lost.lambda, progress: lost.progress, lostGate: gate }),
    ...(isFixed && { elasticity: lost.elasticity }),
  };
  const built = buildSearch(plan, programOf(plan.program), { definition, options });
  const seams = {
    ...(lost.preemption === 'eager' && { preempt: preemptEagerly }),
    ...(lost.first === 'boost' && { room: boostingRoom }),
  };
  const scheduler = createScheduler(definition, plan.policyOptions, options, seams);
  return { built, scheduler };
}

function sureness({ confidencePrune, confidenceWindow, confidenceWarmup }: OptionsOf<typeof lostKnobs>): PartOptions {
  return { confidencePrune, confidenceWindow, confidenceWarmup };
}
