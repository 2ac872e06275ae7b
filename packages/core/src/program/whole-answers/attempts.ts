// Shows a model answers that were written before, so that it can write a better one. Pure.

import { answerText, type Node } from '../../tree/node.ts';

/** `prompt` has `{attempts}` where they stand. The text stands behind the question, as the model's own words. */
export function attemptsText(prompt: string, attempts: readonly Node[]): string {
  const shown = attempts.map((node, at) => `Attempt ${at + 1}:\n${answerText(node).trim()}`);
  return prompt.replace('{attempts}', () => shown.join('\n\n'));
}
