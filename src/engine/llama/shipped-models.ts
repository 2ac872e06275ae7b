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
