// What `import … from 'coppice'` gives, and all that it gives: the library with every plug-in that is installed, and finished searches
// as data to train on. The names are kept by semantic versioning. A list only; nothing is defined here.

import './cli/plugins/plugins.ts';

export * from '@coppice/core';
export { ExportCounts, exportTrees, type TableName } from './export/export-trees.ts';
export type { AnswerJudge, LoggedSearch } from './export/finished-tree.ts';
export type { NodeRow } from './export/nodes.ts';
export type { RolloutRow } from './export/rollouts.ts';
