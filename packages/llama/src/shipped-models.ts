// The models that ship with coppice, by name. Any other name is the path of a GGUF file.

import { fileURLToPath } from 'node:url';

export const shippedModels = ['sapling', 'sapling-prm', 'sapling-draft', 'sapling-sudoku', 'sapling-ledger'] as const;
export type ShippedName = (typeof shippedModels)[number];

export function isShipped(name: string): name is ShippedName {
  return (shippedModels as readonly string[]).includes(name);
}

export function modelPath(name: string): string {
  return isShipped(name) ? fileURLToPath(new URL(`../models/${name}.gguf`, import.meta.url)) : name;
}

/** The default reward model of each generator: see models/README.md. */
const rewardModels: Readonly<Record<string, string>> = {
  sapling: 'sapling-prm',
  // The checkers of these tasks see every false sum and every conflict. sapling-prm can read ledgers too (--prm sapling-prm); no reward model was trained on sudokus.
  'sapling-ledger': 'exact',
  'sapling-sudoku': 'exact',
};

export function rewardModelOf(model: string): string {
  return rewardModels[model] ?? 'none';
}

/**
 * The shipped models write short steps, many of them alike. So best-first search draws one at a time and ends a path at its first false
 * line; with few draws a tree runs out of leaves long before its rollouts (docs/decisions/0190-best-first-search.md).
 * A strand is then one sequence, and the engine runs 32. Their reward model sees most false sums and
 * products (lab/docs/experiments/search-pays.md); the checkers of their tasks see all of them at no cost
 * (docs/decisions/0005-step-checkers-promise-reading-and-weighted-vote.md).
 */
const shippedShape = {
  budget: 32, // strands open at a time
  branching: 8,
  program: 'best-first',
  boundPrune: 'threshold',
  choose: 'vote',
  check: 'lines',
  // One line per step, and the temperature of the training; their longest answers have 23 lines.
  delimiters: ['\n'],
  stepTokens: 96,
  maxDepth: 24,
  sampling: { temperature: 1 },
};
const otherShape = { budget: 16, branching: 4, choose: 'best', check: 'none' };

/** Default settings of an embedded model. */
export function shapeOf(model: string): Readonly<Record<string, unknown>> {
  return isShipped(model) ? shippedShape : otherShape;
}
