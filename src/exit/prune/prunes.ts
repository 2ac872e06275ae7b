// The prune rules that there are, in the order in which they are read. What a rule does stands in its own file; its options and the
// setting that asks for it stand here.

import { definePrune, type PrunePart } from '../definition.ts';
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
  keepConfident: {
    default: 0,
    low: 0,
    high: 1,
    client,
    unit: 'share of samples',
    why: "0 is off. DeepConf: a sample ends once it is less sure of its words than the bound that keeps this share of the first samples; the authors' low setting is 0.1, their high one 0.9",
  },
  confidentWindow: {
    default: 0,
    low: 0,
    high: 100_000,
    whole: true,
    client,
    unit: 'tokens',
    why: "of keepConfident: tokens of a group, whose mean is judged; 0 is a sixteenth of the first samples' mean length, at most 2048, which is the authors' for chains of 30,000",
  },
  confidentWarmup: {
    default: 16,
    low: 1,
    high: 100_000,
    whole: true,
    client,
    unit: 'samples',
    why: "of keepConfident: samples that run to their ends before one is judged; the authors'",
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
    name: 'deepconf',
    summary: 'the model is less sure of its words than in most samples (DeepConf)',
    options: confidence,
    when: ({ keepConfident }) => keepConfident !== 0,
    make: pruneConfidence,
  }),
];
