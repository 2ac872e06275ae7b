// A model's thinking in the text of a path: where it begins and ends by its tags, and how it reads without them. Servers that send it in a
// field of their own have it put between the same tags by their engine, so that every path has one form. Never guesses: a text that
// neither begins with the tag nor goes on from thinking has none.

import type { Node } from '../node.ts';
import type { Step, Thought } from '../step.ts';

export interface ThinkingTags {
  readonly open: string;
  readonly close: string;
}

export const usualTags: ThinkingTags = { open: '<think>', close: '</think>' };

/** The variables by which templates switch it: Qwen's and most others' name, and DeepSeek's and Granite's. */
export function thinkingSwitch(thinks: boolean): Readonly<Record<string, boolean>> {
  return { enable_thinking: thinks, thinking: thinks };
}

/** Measures the thinking in a step. `within`: it begins inside some. Tokens are shared out by characters. */
export function thoughtOf(
  step: Pick<Step, 'text' | 'tokens' | 'forced'>,
  within: boolean,
  tags: ThinkingTags,
): Thought | undefined {
  const { text, tokens, forced = 0 } = step;
  if (!within && !text.trimStart().startsWith(tags.open)) return undefined;
  const at = text.indexOf(tags.close);
  if (at < 0) return { chars: text.length, tokens, open: true };
  const chars = at + tags.close.length;
  if (text.slice(chars).trim() === '') return { chars: text.length, tokens };
  // Forced text is no token of the model.
  const share = Math.max(0, chars - forced) / (text.length - forced);
  return { chars, tokens: Math.round(tokens * share) };
}

export function thoughtText({ text, thought }: Step, { open, close }: ThinkingTags): string {
  if (thought === undefined) return '';
  const said = text.slice(0, thought.chars);
  const begins = said.trimStart().startsWith(open) ? said.indexOf(open) + open.length : 0;
  const ends = said.lastIndexOf(close);
  return said.slice(begins, ends < begins ? undefined : ends).replace(begins > 0 ? /^\n/ : /^(?!)/, '');
}

/** True where the step after this node goes on with the thinking; at the root the template decides. */
export function isThinking({ step, parent }: Node, templateOpens: boolean): boolean {
  return parent === undefined ? templateOpens : step?.thought?.open === true;
}

/** True where the model has just ended its thinking: the answer follows. */
export function hasJustThought({ step }: Node): boolean {
  return step?.thought !== undefined && step.thought.open === undefined && step.thought.chars === step.text.length;
}
