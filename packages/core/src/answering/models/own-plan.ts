// The plan of one question that a command or a program asks, within the limits of a person who pays for every token themselves.

import { type LimitsConfig, searchLimits } from '../../config/schema.ts';
import { requestKnobs } from '../../config/vocabulary.ts';
import { makePlan } from '../plan/plan.ts';
import type { PlannedModel, SearchPlan, Wish } from '../plan/search-plan.ts';
import { askedQuestion } from '../question.ts';

const { rollouts, tokenBudget, deadlineMs } = requestKnobs;
const unlimited = { rollouts: rollouts.high, tokens: tokenBudget.high, deadlineMs: deadlineMs.high };

/** The bounds of the vocabulary; an effort still says how many rollouts. */
export const ownLimits: LimitsConfig = { ...searchLimits.parse(unlimited), rolloutTokens: tokenBudget.high };

/** The plan of one question that a command asks; a command always has a seed, and means it. `others`: what its panel may name. */
export function ownPlan(
  model: PlannedModel,
  question: string,
  wish: Wish,
  seed: number,
  others?: ReadonlyMap<string, PlannedModel>,
): SearchPlan {
  return makePlan({
    question: askedQuestion(question),
    wish: { seed, ...wish },
    speaker: 'flags',
    model,
    others,
    limits: ownLimits,
    maxPriority: 0,
    defaultDeadlineMs: ownLimits.deadlineMs,
    seed,
  });
}
