// Budget forcing (s1, arXiv 2501.19393): a program ends the thinking and asks for the answer. This is the manner of a draw, so it stands
// in the log; its words are the beginning of the step that it brings. Pure.

import type { Node } from '../tree/node.ts';
import { isThinking, type ThinkingTags } from '../tree/readings/thinking.ts';
import type { Manner } from '../tree/step.ts';

/** Facts of a thinking model that a program needs. */
export interface ProgramThinking extends ThinkingTags {
  readonly opened: boolean;
  readonly lastWords: string;
}

/** The thinking of this path ends here: the next step is the answer. */
export function endThinking({ close, lastWords }: ProgramThinking): Manner {
  return { opening: `${lastWords}\n${close}\n\n` };
}

export function isInThought(node: Node, thinking: ProgramThinking | undefined): thinking is ProgramThinking {
  return thinking !== undefined && isThinking(node, thinking.opened);
}
