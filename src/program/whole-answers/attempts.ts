// Answers that were written before, put in front of a model that is to write a better one: the one place where programs do so. Attempts
// may be compacted to their last words (PaCoRe, arXiv 2601.05593): where a model comes to its answer, not how. Pure.

import type { NumberKnob } from '../../base/knob.ts';
import { answerText, type Node } from '../../tree/node.ts';

export const attemptTokensKnob = {
  default: 0,
  low: 0,
  high: 1_000_000,
  whole: true,
  client: 'coppice',
  unit: 'tokens',
  why: 'longest end of an earlier answer that aggregate, panel or pairwise shows a model, about four characters each; 0 shows all of it',
} as const satisfies NumberKnob;

/** Characters of English text to a token, as the runtime counts what it puts behind a path. */
const tokenChars = 4;

/** `prompt` has `{attempts}` where they stand. What it gives stands behind the question, as the model's own words. */
export function attemptsText(prompt: string, attempts: readonly Node[], attemptTokens: number): string {
  const shown = attempts.map((node, at) => `Attempt ${at + 1}:\n${lastWords(answerText(node).trim(), attemptTokens)}`);
  return prompt.replace('{attempts}', () => shown.join('\n\n'));
}

/** The end of a text, from the beginning of a line or a sentence on where there is one in its first half. */
export function lastWords(text: string, tokens: number): string {
  const most = tokens * tokenChars;
  if (tokens === 0 || text.length <= most) return text;
  const end = text.slice(-most);
  const start = /\n\s*|[.!?]\s+/.exec(end.slice(0, most / 2));
  return `… ${start === null ? end.slice(end.search(/\s|$/)).trim() || end : end.slice(start.index + start[0].length)}`;
}
