// Scores a step by the checker of its task alone: 1 for a line that is right given the lines before it, 0 for one that is not,
// and where the question and the lines do not say it depends on the task: 1 where the answer will be checked by the question
// alone, so that nothing wrong can be accepted by it, else 0.5, which accepts nothing. It never sees a gold answer.

import { fault } from '../../base/fault.ts';
import { checkLine, taskOf } from '../../task/check.ts';
import type { LineCheck } from '../../task/task.ts';
import { VerifierAtOnce } from '../at-once.ts';
import { questionOf } from '../scorer.ts';
import { noUsage, type ScoreRequest, type VerifierCapabilities, type VerifierMessage } from '../verifier.ts';

const rewards: Readonly<Record<LineCheck, number>> = { true: 1, false: 0, unknown: 0.5 };
const unrefuted = 1;

export class ExactVerifier extends VerifierAtOnce {
  readonly capabilities: VerifierCapabilities = { name: 'exact', aggregation: 'product', reusesPrefix: true };

  protected answerTo({ id, prompt, path, step }: ScoreRequest): VerifierMessage {
    const question = questionOf(prompt);
    const task = taskOf(question);
    if (task === undefined) {
      const problem = 'the exact verifier checks questions of the shipped tasks alone; this one needs a reward model';
      return { type: 'fault', request: id, fault: fault('unsupported', problem) };
    }
    const before = path.map((each) => each.step.text);
    try {
      const check = checkLine(question, before, step.text);
      const reward = check === 'unknown' && task.decides && step.end !== 'eos' ? unrefuted : rewards[check];
      return { type: 'score', request: id, reward, usage: noUsage };
    } catch (error) {
      const problem = `the checker of its task failed on a line: ${String(error)}`;
      return { type: 'fault', request: id, fault: fault('internal', problem) };
    }
  }
}
