// Paths as engines and verifiers get them: steps with the keys of their nodes.

import type { PathStep } from '../../engine/engine.ts';
import { nodeKey, rootKey, turnKey } from '../../tree/keys.ts';
import type { Step } from '../../tree/step.ts';

export function pathOf(...steps: readonly Step[]): PathStep[] {
  return steps.reduce<PathStep[]>((path, step) => below(path, step), []);
}

export function below(path: readonly PathStep[], step: Step): PathStep[] {
  return [...path, { key: nodeKey(tipKey(path), step), step }];
}

export function tipKey(path: readonly PathStep[]): number {
  return path.at(-1)?.key ?? rootKey;
}

/** The path with a message of the user's side behind it, as the runtime gives it to engines. */
export function behind(path: readonly PathStep[], turn: string): PathStep[] {
  const step: Step = { text: '', turn, tokens: Math.ceil(turn.length / 4), meanLogprob: 0, end: 'length' };
  return [...path, { key: turnKey(tipKey(path), turn), step }];
}
