// Scores a step by the checker of its task alone: 1 for a line that is right given the lines before it, 0 for one that is not,
// and where the question and the lines do not say it depends on the task: 1 where the answer will be checked by the question
// alone, so that nothing wrong can be accepted by it, else 0.5, which accepts nothing. It never sees a gold answer.

import { checkLine, type LineCheck, taskOf } from '@coppice/core/answer';
import { raise } from '@coppice/core/base';
import {
  defineVerifier,
  falseLine,
  type Judgement,
  questionOf,
  type ScoreRequest,
  type VerifierPart,
} from '@coppice/core/verifier';
import { tasks } from '../task/recognise.ts';

const rewards: Readonly<Record<LineCheck, number>> = { true: 1, false: 0, unknown: 0.5 };
const unrefuted = 1;

export const exact: VerifierPart = defineVerifier({
  name: 'exact',
  summary: 'the checker of the task, for questions of the shipped tasks',
  make: () => scoreByTask,
});

function scoreByTask({ prompt, path, step }: ScoreRequest): Judgement {
  const question = questionOf(prompt);
  const task = taskOf(tasks, question);
  if (task === undefined)
    raise(
      'unsupported',
      'the exact verifier checks questions of the shipped tasks alone; this one needs a reward model',
    );
  const before = path.map((each) => each.step.text);
  const check = checkLine(tasks, question, before, step.text);
  if (check === 'false') return { reward: rewards.false, feedback: falseLine(step.text) };
  return { reward: check === 'unknown' && task.decides && step.end !== 'eos' ? unrefuted : rewards[check] };
}
