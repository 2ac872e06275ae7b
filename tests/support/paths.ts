// Paths as engines and verifiers get them: steps with the keys of their nodes.

import type { PathStep } from '../../src/engine/engine.ts';
import { nodeKey, rootKey } from '../../src/tree/keys.ts';
import type { Step } from '../../src/tree/step.ts';

export function pathOf(...steps: readonly Step[]): PathStep[] {
  return steps.reduce<PathStep[]>((path, step) => below(path, step), []);
}

export function below(path: readonly PathStep[], step: Step): PathStep[] {
  return [...path, { key: nodeKey(tipKey(path), step), step }];
}

export function tipKey(path: readonly PathStep[]): number {
  return path.at(-1)?.key ?? rootKey;
}
