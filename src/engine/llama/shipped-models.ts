// The models that ship with coppice, by name. A name that is none of theirs is taken as the path of a GGUF file.
import { fileURLToPath } from 'node:url';

export const shippedModels = ['sapling', 'sapling-prm', 'sapling-draft'] as const;
export type ShippedModel = (typeof shippedModels)[number];

export function isShipped(name: string): name is ShippedModel {
  return (shippedModels as readonly string[]).includes(name);
}

export function modelPath(name: string): string {
  return isShipped(name) ? fileURLToPath(new URL(`../../../models/${name}.gguf`, import.meta.url)) : name;
}

/**
 * Steps per expansion. The shipped models write short steps of which many are alike, and identical siblings are one node: with
 * few a tree runs out of leaves long before its rollouts (docs/decisions/0043-branching-of-the-saplings.md). 4 as in P0 §5.1 for others.
 */
export function branchingOf(model: string): number {
  return isShipped(model) ? 8 : 4;
}
