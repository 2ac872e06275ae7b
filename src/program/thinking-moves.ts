// Budget forcing (s1, arXiv 2501.19393), both ways, as moves of a program: the thinking is ended and the answer asked for, or it goes on with "Wait"
// though the model has ended it. A move is the manner of a draw, so that it stands in the log, and the words that it puts into the
// path are the beginning of the step that it brings. Pure; a path without thinking has no such moves.

import type { NumberKnob } from '../base/knob.ts';
import type { Node } from '../tree/node.ts';
import type { Manner } from '../tree/step.ts';
import { hasJustThought, isThinking, type ThinkingTags } from '../tree/thinking.ts';

/** What a program knows of a model that thinks. */
export interface ProgramThinking extends ThinkingTags {
  readonly opened: boolean;
  /** Said before the tag that ends it, and in its place. */
  readonly lastWords: string;
  readonly moreWords: string;
}

export const minThinkingKnob = {
  default: 0,
  low: 0,
  high: 1_000_000,
  whole: true,
  client: 'coppice',
  unit: 'tokens',
  why: 'a model that ends its thinking before so many goes on with "Wait" (prompts/thinking-more.txt); 0 lets it end',
} as const satisfies NumberKnob;

/** The thinking of this path ends here: the next step is the answer. */
export function endThinking({ close, lastWords }: ProgramThinking): Manner {
  return { opening: `${lastWords}\n${close}\n\n` };
}

/** The thinking that the path has ended goes on. */
export function goOnThinking({ moreWords }: ProgramThinking): Manner {
  return { opening: moreWords, reopens: true };
}

export function isInThought(node: Node, thinking: ProgramThinking | undefined): thinking is ProgramThinking {
  return thinking !== undefined && isThinking(node, thinking.opened);
}

/** What is usual below a node: the thinking goes on while it is shorter than the program wants it. */
export function thinkingMove(
  node: Node,
  thinking: ProgramThinking | undefined,
  minThinkingTokens: number,
): Manner | undefined {
  const isShort = thinking !== undefined && hasJustThought(node) && node.thoughtTokens < minThinkingTokens;
  return isShort ? goOnThinking(thinking) : undefined;
}
