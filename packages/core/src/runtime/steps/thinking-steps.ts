// Draws thinking: which steps lie inside it, how they end, and what is put into the path. Pure. A program's manner goes first.

import { endThinking } from '../../program/thinking-moves.ts';
import type { Node } from '../../tree/node.ts';
import { hasJustThought, isThinking, thoughtOf } from '../../tree/readings/thinking.ts';
import type { Manner, Step } from '../../tree/step.ts';
import type { SearchRequest, ThinkingPlan } from '../search/request.ts';

type Thinks = Pick<SearchRequest, 'thinking' | 'delimiters'>;

/** Before anything is put into the path. A reply to a turn begins as the first message did. */
export function isInside({ thinking }: Thinks, node: Node, manner?: Manner): boolean {
  return thinking !== undefined && (manner?.byUser ? thinking.opened : isThinking(node, thinking.opened));
}

function thoughtBefore({ thoughtTokens }: Node, manner: Manner | undefined): number {
  return manner?.byUser ? 0 : thoughtTokens;
}

/** The manner's words, the end of the thinking at its limit, or a blank line behind that end. */
export function openingBelow(request: Thinks, node: Node, manner: Manner | undefined): string | undefined {
  const { thinking, delimiters } = request;
  if (manner?.opening !== undefined) return manner.opening;
  if (thinking === undefined) return undefined;
  if (isInside(request, node, manner))
    return thoughtBefore(node, manner) < thinking.maxTokens ? undefined : endThinking(thinking).opening;
  if (manner?.byUser) return undefined;
  const isBlank = manner?.stops === undefined && delimiters.some((each) => each.trim() === '');
  return isBlank && hasJustThought(node) && node.step!.text.endsWith(thinking.close) ? '\n\n' : undefined;
}

export function goesOnThinking(request: Thinks, node: Node, manner: Manner | undefined): boolean {
  const { thinking } = request;
  if (thinking === undefined || !isInside(request, node, manner)) return false;
  return !(openingBelow(request, node, manner) ?? '').includes(thinking.close);
}

export function longestThought(
  { stepTokens, maxTokens }: ThinkingPlan,
  node: Node,
  manner: Manner | undefined,
): number {
  return Math.max(1, Math.min(stepTokens, maxTokens - thoughtBefore(node, manner)));
}

/** If a program has a whole answer written in one piece, the thinking comes on top. */
export function thoughtRoom({ thinking }: Thinks, node: Node, manner: Manner | undefined): number {
  if (thinking === undefined || manner?.stops?.length !== 0) return 0;
  return Math.max(0, thinking.maxTokens - thoughtBefore(node, manner));
}

export function thoughtStep(request: Thinks, node: Node, manner: Manner | undefined, step: Step): Step {
  const { thinking } = request;
  const opening = openingBelow(request, node, manner);
  const said = opening === undefined ? step : withOpening(step, opening);
  if (thinking === undefined) return said;
  const thought = said.thought ?? thoughtOf(said, isInside(request, node, manner), thinking);
  return thought === undefined ? said : { ...said, thought };
}

function withOpening({ tokenIds: _, pieces, ...step }: Step, opening: string): Step {
  const [first = '', ...others] = pieces ?? [];
  return {
    ...step,
    text: opening + step.text,
    forced: opening.length,
    ...(pieces === undefined ? {} : { pieces: [opening + first, ...others] }),
  };
}
