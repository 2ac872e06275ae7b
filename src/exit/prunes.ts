// The prune rules that there are, in the order in which they are read. What a rule does stands in its own file; its options and the
// setting that asks for it stand here.

import { definePrune, type PrunePart } from './definition.ts';
import { type BoundTarget, pruneBound } from './prune-bound.ts';
import { pruneConfidence } from './prune-confidence.ts';
import { pruneOutdone } from './prune-outdone.ts';
import { prunePromise } from './prune-promise.ts';

const client = 'coppice';

const outdone = {
  beatPrune: {
    low: 0,
    high: 1,
    internal: true,
    unit: 'probability',
    why: 'a rollout less likely than this to beat the best answer so far is not carried on; its leaf stays, and the question goes on with its next rollout. 0 is off',
  },
} as const;

const promise = {
  promisePrune: {
    default: 0,
    low: 0,
    high: 1,
    client,
    unit: 'probability',
    why: '0 is off: it needs a verifier with a second reading. A strand whose step promises less than this to end right is ended',
  },
} as const;

const confidence = {
  confidencePrune: {
    default: 0,
    low: 0,
    high: 1,
    internal: true,
    unit: 'share of samples',
    why: '0 is off. A sample that becomes less sure of its words than so many of the first ones were at their worst is ended: 0.1 ends few (the high setting of DeepConf), 0.9 most (its low one)',
  },
  confidenceWindow: {
    default: 64,
    low: 1,
    high: 100_000,
    whole: true,
    internal: true,
    unit: 'tokens',
    why: 'of confidencePrune: tokens over which a sample is as sure as it is; the authors take 2048 of answers of 30,000, this is for answers of some hundred',
  },
  confidenceWarmup: {
    default: 8,
    low: 1,
    high: 100_000,
    whole: true,
    internal: true,
    unit: 'samples',
    why: "of confidencePrune: complete samples before any is ended; half of the usual 16, which is the authors' own for far more samples",
  },
} as const;

export const pruneKnobs = { ...outdone, ...promise, ...confidence } as const;

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
  definePrune({
    name: 'outdone',
    summary: 'the rollout is unlikely to beat the best completed path',
    options: outdone,
    when: ({ beatPrune }) => beatPrune !== 0,
    make: ({ beatPrune }) => pruneOutdone(beatPrune),
  }),
  definePrune({
    name: 'promise',
    summary: "the verifier's second reading says that hardly any sample from here ends right",
    options: promise,
    when: ({ promisePrune }) => promisePrune !== 0,
    make: ({ promisePrune }) => prunePromise(promisePrune),
  }),
  definePrune({
    name: 'confidence',
    summary: 'the model has become unsure of its words (DeepConf)',
    options: confidence,
    when: ({ confidencePrune }) => confidencePrune !== 0,
    make: pruneConfidence,
  }),
];
