// The prune rules that there are, in the order in which they are read. What a rule does stands in its own file; its options and the
// setting that asks for it stand here.

import { definePrune, type PrunePart } from '../definition.ts';
import { type BoundTarget, pruneBound } from './prune-bound.ts';

export const promiseKnobs = {
  promisePrune: {
    default: 0,
    low: 0,
    high: 1,
    internal: true,
    unit: 'probability',
    why: '0 is off: it needs a verifier with a second reading. A strand whose step promises less than this to end right is ended',
  },
} as const;

function bound(target: BoundTarget, summary: string): PrunePart {
  return definePrune({
    name: `bound-${target}`,
    summary,
    when: ({ boundPrune }) => boundPrune === target,
    make: () => pruneBound(target),
  });
}

const registered: PrunePart[] = [
  bound('threshold', 'the path cannot reach the threshold any more (P0 §4.1)'),
  bound('best', 'the path cannot beat the best completed one: branch and bound'),
];

export function registerPrunes(parts: readonly PrunePart[]): void {
  registered.push(...parts.filter(({ name }) => !registered.some((each) => each.name === name)));
}

export function pruneParts(): readonly PrunePart[] {
  return registered;
}
