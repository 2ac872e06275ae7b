// Names who scores the paths of one question, for the line above its answer: a checker that judges answers of its task stands for the reward
// model behind it, which is never asked then. Words only; what scores is decided where the model is opened.

import { taskOf } from '../../answer/task.ts';
import { registeredTasks } from '../../config/plugin.ts';
import type { OpenModel } from './open-model.ts';

const scorer = /scored by ([^,]+), lines checked/;

export function noteFor({ note, config }: Pick<OpenModel, 'note' | 'config'>, question: string): string {
  const said = note ?? config.name;
  const task = taskOf(registeredTasks(), question);
  if (task === undefined) return said;
  if (task.decides) return said.replace(scorer, `scored by the checker of its task (${task.kind})`);
  return said.replace(scorer, `lines scored by the checker of its task (${task.kind}), answers by $1`);
}
