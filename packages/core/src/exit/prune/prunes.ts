// The prune rules that there are, in the order in which they are read. What a rule does stands in its own file; the setting that asks for it stands here.

import { definePrune, type PrunePart } from '../definition.ts';
import { type BoundTarget, pruneBound } from './prune-bound.ts';

function bound(target: BoundTarget, summary: string): PrunePart {
  return definePrune({
    name: `bound-${target}`,
    summary,
    when: ({ boundPrune }) => boundPrune === target,
    make: () => pruneBound(target),
  });
}

export const pruneParts: readonly PrunePart[] = [
  bound('threshold', 'the path cannot reach the threshold any more (P0 §4.1)'),
  bound('best', 'the path cannot beat the best completed one: branch and bound'),
];
