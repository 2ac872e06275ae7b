// Scores a step by the checker of its task alone: 1 for a right line, 0 for a wrong one. An undecided line gets 1 if the question alone checks
// the answer, so that no wrong answer can be accepted; else it gets 0.5, which accepts nothing. It never sees a gold answer.

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
import { tasks } from './recognise.ts';

const rewards: Readonly<Record<LineCheck, number>> = { true: 1, false: 0, unknown: 0.5 };
const unrefuted = 1;

export const exact: VerifierPart = defineVerifier({
  name: 'exact',
  summary: 'the checker of the task, for questions of the shipped tasks',
  exact: true,
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
