// Whether a score at the threshold accepts an answer. It does where the score is a checker's word, or where a request or the operator named the
// threshold: a reward model's score of 0.9 means another thing for every model and every kind of question.

import { taskOf } from '../../answer/task.ts';
import { registeredTasks } from '../../config/plugin.ts';
import type { Judged, ScoreAcceptance } from '../../log/verdict.ts';
import { weighedAnswer } from '../../program/choice.ts';
import { isComplete, type Node } from '../../tree/node.ts';
import type { Tree } from '../../tree/tree.ts';
import { lastAsked } from '../question.ts';
import type { PlanRequest, SearchPlan } from './search-plan.ts';

export function acceptanceOf({ wish, model: { config, verifier }, question }: PlanRequest): ScoreAcceptance {
  if (verifier?.capabilities.exact || wish.tests !== undefined) return 'checked';
  const isDecided = config.check === 'lines' && taskOf(registeredTasks(), lastAsked(question.prompt))?.decides === true;
  if (isDecided) return 'checked';
  return (wish.threshold ?? config.threshold) === undefined ? 'never' : 'named';
}

/** Null where no score ends the search or accepts an answer. */
export function actingThreshold(plan: Pick<SearchPlan, 'threshold' | 'accepts' | 'scoring' | 'policyOptions'>) {
  if (plan.accepts !== 'never') return plan.threshold;
  return plan.policyOptions.positiveExit === 'on' && plan.scoring !== 'none' ? plan.threshold : null;
}

/** An answer beside the first, as the verdict on it reads it. */
export function judgedLeaf(plan: SearchPlan, tree: Tree, leaf: Node): Judged {
  const { scoring, threshold, accepts, marked, confidence } = plan;
  const { id: node, answer, reward } = leaf;
  const unsaid = marked && answer === undefined ? { unsaid: marked } : {};
  const score = reward === undefined ? undefined : leaf.score;
  const said = { node, answer, complete: isComplete(leaf), score, ...unsaid };
  return { answer: weighedAnswer(tree, said, scoring === 'verifier', confidence), scoring, threshold, accepts };
}
