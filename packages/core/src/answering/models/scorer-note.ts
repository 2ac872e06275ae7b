// The line that says of a model what generates and who scores: of all its questions, or of one. A checker that judges answers of its task stands
// for the reward model behind it, which is never asked then. Words only; what scores is decided where the model is opened.

import { taskOf } from '../../answer/task.ts';
import { registeredTasks } from '../../config/plugin.ts';
import type { OpenModel } from './open-model.ts';

type Noted = Pick<OpenModel, 'note' | 'scoredBy' | 'config'>;

export function noteFor(model: Noted, question?: string): string {
  const { note, config } = model;
  return note === undefined ? config.name : `${note}, ${scoringOf(model, question)}`;
}

function scoringOf({ scoredBy, config: { check, verifier } }: Noted, question?: string): string {
  if (verifier.kind === 'confidence') return "without a reward model: steps are scored by the model's own confidence";
  if (scoredBy === undefined) return 'without a reward model: samples vote, and nothing scores them';
  if (check === 'none') return `scored by ${scoredBy}`;
  const task = check === 'lines' && question !== undefined ? taskOf(registeredTasks(), question) : undefined;
  if (task === undefined) return `scored by ${scoredBy}, ${check} checked`;
  const checker = `scored by the checker of its task (${task.kind})`;
  return task.decides ? checker : `lines ${checker}, answers by ${scoredBy}`;
}
