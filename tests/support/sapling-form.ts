// Makes a scripted engine accept only questions of the shipped model.

import type { FormQuestion } from '../../packages/core/src/config/plugin.ts';
import { isRecognised, recogniseFor } from '../../packages/llama/src/task/recognise.ts';

export const saplingForm: FormQuestion = (asked) => {
  const last =
    asked.kind === 'text' ? asked.text : (asked.messages.findLast(({ role }) => role === 'user')?.content ?? '');
  const found = recogniseFor('sapling', last);
  return isRecognised(found) ? { kind: 'text', text: `${found.question}\n` } : { reason: found.message };
};
