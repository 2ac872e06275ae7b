// The names of `import … from 'coppice'`: the library with every installed plug-in, and finished searches as training data. Kept by semantic
// versioning. A list only.

import './cli/plugins/plugins.ts';

export * from '@coppice/core';
export { ExportCounts, exportTrees, type TableName } from './export/export-trees.ts';
export type { AnswerJudge, LoggedSearch } from './export/finished-tree.ts';
export type { NodeRow } from './export/nodes.ts';
export type { RolloutRow } from './export/rollouts.ts';
