// The rollouts of a search that was asked for all of them, as choices of one answer: a group for a trainer. Token fields have the names that vLLM
// gives them where it has them.

import type { NodeId } from '../../tree/events.ts';
import { isPathEnd, type Node } from '../../tree/node.ts';
import { completionTokens } from '../../tree/readings/token-record.ts';

/** All but the one that is given first; one that was drawn several times is given as often. */
export function otherRollouts(nodes: readonly Node[], first: NodeId): Node[] {
  return nodes
    .filter(isPathEnd)
    .flatMap((leaf) => Array.from({ length: leaf.count - (leaf.id === first ? 1 : 0) }, () => leaf));
}

export interface ChoiceTokens {
  /** Of the completion; null where the engine does not tell. */
  readonly token_ids: readonly number[] | null;
  /** 0 where a token was composed and no model drew it. */
  readonly token_mask: readonly number[] | null;
  /** Of the model before temperature and cuts; 0 where the mask is. */
  readonly token_logprobs: readonly number[] | null;
  /** Of the path, by the verifier. */
  readonly score: number | null;
}

export function choiceTokens(leaf: Node | undefined): ChoiceTokens {
  const { ids = null, mask = null, logprobs = null } = (leaf && completionTokens(leaf)) ?? {};
  const score = leaf?.reward === undefined ? null : leaf.score;
  return { token_ids: ids, token_mask: mask, token_logprobs: logprobs, score };
}

export function promptTokenIds(leaf: Node | undefined): readonly number[] | null {
  return (leaf && completionTokens(leaf)?.promptIds) ?? null;
}
