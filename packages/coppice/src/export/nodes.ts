// Makes a row for every node but the root: the tokens read and written there, and the search's findings.

import { meanValue, type Node, stepTokens } from '@coppice/core/tree';
import type { FinishedTree } from './finished-tree.ts';
import type { RowOf } from './row.ts';

/** The tokens of a path are those of its parent's path up to `kept_tokens`, then `token_ids`. */
export const nodeColumns = {
  search: 'text',
  question: 'text',
  model: 'text',
  weights: 'text',
  node: 'whole',
  parent: 'whole',
  depth: 'whole',
  count: 'whole',
  text: 'text',
  end: 'text',
  terminal: 'truth',
  kept_tokens: 'whole',
  token_ids: 'wholes',
  mask: 'wholes',
  logprobs: 'reals',
  temperature: 'real',
  reward: 'real',
  score: 'real',
  visits: 'whole',
  value: 'real',
  leaves: 'whole',
  outcome: 'real',
  mean_outcome: 'real',
  right: 'truth',
  answer: 'text',
  advantage_siblings: 'real',
  advantage_tree: 'real',
  advantage_group: 'real',
} as const;

export type NodeRow = RowOf<typeof nodeColumns>;

export function nodeRows(tree: FinishedTree): NodeRow[] {
  return tree.nodes.slice(1).map((node) => nodeRow(tree, node));
}

function nodeRow(tree: FinishedTree, node: Node): NodeRow {
  const { id, parent, depth, count, step, reward, score, terminal, visits, answer } = node;
  const own = step && stepTokens(step);
  const { outcome, value, leaves, bySiblings, byTree, byGroup } = tree.advantages.get(id)!;
  return {
    search: tree.search,
    question: tree.question ?? null,
    model: step?.model ?? tree.model,
    weights: tree.weights ?? null,
    node: id,
    parent: parent?.id ?? null,
    depth,
    count,
    text: step?.text ?? null,
    end: step?.end ?? null,
    terminal,
    kept_tokens: own?.kept ?? null,
    token_ids: own?.ids ?? null,
    mask: own?.mask ?? null,
    logprobs: own?.logprobs ?? null,
    temperature: tree.samplings.get(parent!.id)?.temperature ?? null,
    reward: reward ?? null,
    score: reward === undefined ? null : score,
    visits,
    value: meanValue(node) ?? null,
    leaves,
    outcome: outcome ?? null,
    mean_outcome: value ?? null,
    right: tree.isRight(node) ?? null,
    answer: answer ?? null,
    advantage_siblings: bySiblings ?? null,
    advantage_tree: byTree ?? null,
    advantage_group: byGroup ?? null,
  };
}
