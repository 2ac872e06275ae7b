// Which model writes a draw, where a program asks several by name. One whose engine is out is passed over; where all are, there is none to ask,
// and the search ends with what it has. Pure.

import type { Manner } from '../../tree/step.ts';
import type { Tree } from '../../tree/tree.ts';

/** False only where models are named and every one of them is absent. */
export function hasWriter({ absences }: Tree, models: readonly string[]): boolean {
  return models.length === 0 || models.some((model) => !absences.has(model));
}

/** They take turns, and the next one stands in for one that is absent. Undefined where none is named: the search's own model writes it. */
export function writerAt({ absences }: Tree, models: readonly string[], turn: number): string | undefined {
  const inTurn = models.map((_, at) => models[(turn + at) % models.length]!);
  return inTurn.find((model) => !absences.has(model)) ?? inTurn[0];
}

export function writtenBy(model: string | undefined, manner: Manner): Manner {
  return model === undefined ? manner : { ...manner, model };
}
