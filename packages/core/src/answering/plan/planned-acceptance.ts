// Whether a score at the threshold accepts an answer. It does where the score is a checker's word, or where a request or the operator named the
// threshold: a reward model's score of 0.9 means another thing for every model and every kind of question.

import { taskOf } from '../../answer/task.ts';
import { registeredTasks } from '../../config/plugin.ts';
import type { ScoreAcceptance } from '../../log/verdict.ts';
import { lastAsked } from '../question.ts';
import type { PlanRequest } from './search-plan.ts';

export function acceptanceOf({ wish, model: { config, verifier }, question }: PlanRequest): ScoreAcceptance {
  if (verifier?.capabilities.exact || wish.tests !== undefined) return 'checked';
  const isDecided = config.check === 'lines' && taskOf(registeredTasks(), lastAsked(question.prompt))?.decides === true;
  if (isDecided) return 'checked';
  return (wish.threshold ?? config.threshold) === undefined ? 'never' : 'named';
}
