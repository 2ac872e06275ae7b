// Turns finished searches into rows for a trainer, one per node or per finished path. Unfinished searches are counted and left out. If a
// log has no tokens, their columns are null.

import { raise } from '@coppice/core/base';
import { type AnswerJudge, type FinishedTree, finishedTree, type LoggedSearch } from './finished-tree.ts';
import { type NodeRow, nodeColumns, nodeRows } from './nodes.ts';
import { type RolloutRow, rolloutColumns, rolloutRows } from './rollouts.ts';
import type { Columns } from './row.ts';

export const tableColumns = { nodes: nodeColumns, rollouts: rolloutColumns } as const satisfies Record<string, Columns>;

export type TableName = keyof typeof tableColumns;

export const tableNames = Object.keys(tableColumns) as TableName[];

export class ExportCounts {
  searches = 0;
  unfinished = 0;
  rows = 0;
  /** Rows whose log has no tokens. */
  withoutTokens = 0;
  /** Tokens that engines generated for the exported searches. */
  generatedTokens = 0;
  /** Tokens of finished paths that carry a loss, once for each path. */
  trainedTokens = 0;
}

interface ExportOptions<Name extends TableName> {
  readonly table?: Name;
  readonly isRight?: AnswerJudge;
  readonly counts?: ExportCounts;
}

interface TableRows {
  readonly nodes: NodeRow;
  readonly rollouts: RolloutRow;
}

export async function* exportTrees<Name extends TableName = 'nodes'>(
  searches: Iterable<LoggedSearch> | AsyncIterable<LoggedSearch>,
  { table = 'nodes' as Name, isRight, counts = new ExportCounts() }: ExportOptions<Name> = {},
): AsyncGenerator<TableRows[Name]> {
  if (!Object.hasOwn(tableColumns, table))
    raise('bad-setting', `there is no table '${table}'; there are ${tableNames.join(' and ')}`);
  for await (const search of searches) {
    const tree = finishedTree(search, isRight);
    if (tree === undefined) counts.unfinished += 1;
    else yield* rowsOf(tree, table, counts) as TableRows[Name][];
  }
}

function rowsOf(tree: FinishedTree, table: TableName, counts: ExportCounts): (NodeRow | RolloutRow)[] {
  const rollouts = rolloutRows(tree);
  const rows = table === 'nodes' ? nodeRows(tree) : rollouts;
  counts.searches += 1;
  counts.rows += rows.length;
  counts.withoutTokens += rows.filter(
    (row) => ('token_ids' in row ? row.token_ids : row.completion_ids) === null,
  ).length;
  counts.generatedTokens += tree.generatedTokens;
  for (const { completion_mask: mask, count } of rollouts) counts.trainedTokens += drawn(mask ?? []) * (count ?? 1);
  return rows;
}

function drawn(mask: readonly number[]): number {
  return mask.reduce((sum, each) => sum + each, 0);
}
