// A row for every finished path, as trainers read one: prompt, completion, mask and log probabilities by token. A node that several paths
// share stands in each of their rows.

import type { Node } from '../tree/node.ts';
import { pathTo } from '../tree/node.ts';
import { pathTokens } from '../tree/token-record.ts';
import { isLeaf } from './advantages.ts';
import type { FinishedTree } from './finished-tree.ts';
import type { RowOf } from './row.ts';

export const rolloutColumns = {
  search: 'text',
  question: 'text',
  model: 'text',
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
  return tree.nodes.filter(isLeaf).map((leaf) => rolloutRow(tree, leaf));
}

function rolloutRow(tree: FinishedTree, leaf: Node): RolloutRow {
  const { outcome, byGroup } = tree.standings.get(leaf.id)!;
  return {
    search: tree.search,
    question: tree.question ?? null,
    model: leaf.step?.model ?? tree.model,
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

/** The prompt is all that stands before the first token that the model drew. Each token has the advantage of its node by its siblings. */
function tokenFields({ standings }: FinishedTree, leaf: Node): TokenFields {
  const tokens = pathTokens(leaf);
  const first = tokens?.mask.indexOf(1) ?? -1;
  if (tokens === undefined || first < 0) return noTokens;
  const { ids, mask, logprobs, nodes } = tokens;
  const advantageOf = (node: number, at: number) => (mask[at] === 1 ? (standings.get(node)?.bySiblings ?? 0) : 0);
  return {
    prompt_ids: ids.slice(0, first),
    completion_ids: ids.slice(first),
    completion_mask: mask.slice(first),
    logprobs: logprobs.slice(first),
    advantages: nodes.map(advantageOf).slice(first),
  };
}
