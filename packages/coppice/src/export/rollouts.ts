// Makes a row for every finished path, as trainers read it: prompt, completion, mask and log probabilities by token. Shared nodes repeat in
// each row.

import { completionTokens, isPathEnd, type Node, pathTo } from '@coppice/core/tree';
import type { FinishedTree } from './finished-tree.ts';
import type { RowOf } from './row.ts';

export const rolloutColumns = {
  search: 'text',
  question: 'text',
  model: 'text',
  weights: 'text',
  leaf: 'whole',
  path: 'wholes',
  count: 'whole',
  prompt_ids: 'wholes',
  completion_ids: 'wholes',
  completion_mask: 'wholes',
  logprobs: 'reals',
  advantages: 'reals',
  temperature: 'real',
  reward: 'real',
  advantage: 'real',
  right: 'truth',
  answer: 'text',
  finish_reason: 'text',
} as const;

export type RolloutRow = RowOf<typeof rolloutColumns>;

export function rolloutRows(tree: FinishedTree): RolloutRow[] {
  return tree.nodes.filter(isPathEnd).map((leaf) => rolloutRow(tree, leaf));
}

function rolloutRow(tree: FinishedTree, leaf: Node): RolloutRow {
  const { outcome, byGroup } = tree.advantages.get(leaf.id)!;
  return {
    search: tree.search,
    question: tree.question ?? null,
    model: leaf.step?.model ?? tree.model,
    weights: tree.weights ?? null,
    leaf: leaf.id,
    path: pathTo(leaf).map(({ id }) => id),
    count: leaf.count,
    ...tokenFields(tree, leaf),
    temperature: tree.samplings.get(leaf.parent!.id)?.temperature ?? null,
    reward: outcome ?? null,
    advantage: byGroup ?? null,
    right: tree.isRight(leaf) ?? null,
    answer: leaf.answer ?? null,
    finish_reason: leaf.step?.end === 'length' ? 'length' : 'stop',
  };
}

type TokenFields = Pick<RolloutRow, 'prompt_ids' | 'completion_ids' | 'completion_mask' | 'logprobs' | 'advantages'>;

const noTokens: TokenFields = {
  prompt_ids: null,
  completion_ids: null,
  completion_mask: null,
  logprobs: null,
  advantages: null,
};

/** Each token has the advantage of its node by its siblings. */
function tokenFields({ advantages }: FinishedTree, leaf: Node): TokenFields {
  const tokens = completionTokens(leaf);
  if (tokens === undefined) return noTokens;
  const { promptIds, ids, mask, logprobs, nodes } = tokens;
  const advantageOf = (node: number, at: number) => (mask[at] === 1 ? (advantages.get(node)?.bySiblings ?? 0) : 0);
  return {
    prompt_ids: promptIds,
    completion_ids: ids,
    completion_mask: mask,
    logprobs,
    advantages: nodes.map(advantageOf),
  };
}
