// Independent samples, each a path from the root of which nothing is read before its end: best-of-n takes the one with the highest
// score (or lets them vote, weighted by score), self-consistency the answer that most of them give; greedy is a single sample at
// temperature 0. A sample is a strand; a window says how many of them are open at a time.

import type { Knobs } from '../base/knob.ts';
import type { Answer } from '../log/end.ts';
import type { Node } from '../tree/node.ts';
import { type Belief, countedBelief, sampleVotes } from '../tree/readings/certaindex.ts';
import { coldest, greedySampling } from '../tree/step.ts';
import type { Tree } from '../tree/tree.ts';
import { affordable } from './affordable.ts';
import { chosenAnswer } from './choice.ts';
import { defineProgram, type ProgramSize, usualSize } from './definition.ts';
import {
  askBelow,
  foldLanded,
  followLanded,
  freeIndex,
  freeIndices,
  openAt,
  readyStrand,
  rolloutsLeft,
} from './growth.ts';
import type { Ask, Doomed, Expansion, Outcome, PathLimits, Program } from './program.ts';

export interface SamplesOptions
  extends Pick<ProgramSize, 'maxDepth' | 'maxPathTokens' | 'tokenBudget' | 'sampling' | 'choose' | 'thinking'> {
  readonly samples: number;
  /** Samples that are open at a time; 0 opens all at once. */
  readonly window: number;
}

export const samplesDefaults: SamplesOptions = { ...usualSize, samples: 16, window: 0 };

export function createBestOfN(options: Partial<SamplesOptions> = {}): Program {
  return new Samples('best-of-n', true, { ...samplesDefaults, ...options });
}

/** It votes by its nature. */
export function createSelfConsistency(options: Partial<SamplesOptions> = {}): Program {
  return new Samples('self-consistency', false, { ...samplesDefaults, ...options, choose: 'vote' });
}

export function createGreedy(
  options: Partial<Pick<SamplesOptions, 'maxDepth' | 'maxPathTokens' | 'sampling' | 'thinking'>> = {},
): Program {
  return new Samples('greedy', false, {
    ...samplesDefaults,
    ...options,
    samples: 1,
    sampling: coldest(options.sampling ?? greedySampling),
  });
}

/** Every sample is a new child of the root, so none of these expands a node once. */
export const samplesShape = { expandsOnce: false } as const;

const windowKnobs = {
  window: {
    default: 0,
    low: 0,
    high: 100_000,
    whole: true,
    unit: 'samples',
    client: 'coppice',
    why: 'samples that are open at a time: 0 opens all at once, which is fastest; fewer leave more to save for an exit that comes early',
  },
} as const satisfies Knobs;

export const bestOfN = defineProgram({
  ...samplesShape,
  name: 'best-of-n',
  summary: 'independent samples, of which the one with the highest score is the answer',
  needsVerifier: true,
  takesTemperature: true,
  options: windowKnobs,
  create: ({ rollouts: samples, branching: _, ...size }, options) => createBestOfN({ samples, ...options, ...size }),
});

export const selfConsistency = defineProgram({
  ...samplesShape,
  name: 'self-consistency',
  summary: 'independent samples, and the answer that most of them give; needs no verifier',
  needsVerifier: false,
  takesTemperature: true,
  options: windowKnobs,
  create: ({ rollouts: samples, branching: _, ...size }, options) =>
    createSelfConsistency({ samples, ...options, ...size }),
});

export const greedy = defineProgram({
  ...samplesShape,
  name: 'greedy',
  summary: 'a single sample at temperature 0',
  needsVerifier: false,
  takesTemperature: false,
  options: {},
  create: ({ maxDepth, maxPathTokens, sampling, thinking }) =>
    createGreedy({ maxDepth, maxPathTokens, sampling, thinking }),
});

/** What all programs of independent samples share; `auto` is one too. */
export class Samples implements Program {
  readonly name: string;
  readonly needsVerifier: boolean;
  readonly expandsOnce = samplesShape.expandsOnce;
  readonly naturalWidth: number;
  /** Samples that may be open at a time. */
  readonly #widest: number;
  readonly paths: PathLimits;
  protected readonly options: SamplesOptions;

  constructor(name: string, needsVerifier: boolean, options: SamplesOptions, firstWidth = Number.POSITIVE_INFINITY) {
    this.name = name;
    this.needsVerifier = needsVerifier;
    this.#widest = Math.min(options.samples, options.window || options.samples);
    this.naturalWidth = Math.min(firstWidth, this.#widest);
    this.paths = { ...options, drawnWhole: true };
    this.options = options;
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    const { sampling, tokenBudget } = this.options;
    const afford = affordable(tree, tokenBudget);
    const ready = readyStrand(tree, followLanded, undefined, ({ id }) => afford.goesOn(id));
    if (ready !== undefined) return askBelow(tree, ready, [freeIndex(ready.node)], sampling);
    const isFull = tree.strands.size >= this.#widest || !afford.mayOpen;
    if (!mayOpen || isFull || rolloutsLeft(tree, this.wanted(tree)) <= 0 || doomed?.(tree.root)) return undefined;
    const from = this.beginning(tree);
    return askBelow(tree, openAt(tree, from), [freeIndex(from)], sampling);
  }

  /** Where the next sample begins. */
  protected beginning({ root }: Tree): Node {
    return root;
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    return foldLanded(tree, outcome, this.options);
  }

  /** The samples that have not been opened: what comes below an open one is not known before its step is. */
  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[] {
    const { sampling, tokenBudget } = this.options;
    const isOver = doomed?.(tree.root) || !affordable(tree, tokenBudget).mayOpen;
    const more = isOver ? 0 : Math.min(count, rolloutsLeft(tree, this.wanted(tree)));
    return freeIndices(tree.root, more).map((index) => ({ node: tree.root, indices: [index], sampling }));
  }

  demand(tree: Tree): number {
    const { completed, pruned } = tree.closed;
    return Math.max(1, Math.min(this.#widest, this.wanted(tree) - completed - pruned));
  }

  /** Samples in all that may be opened by now. */
  protected wanted(_tree: Tree): number {
    return this.options.samples;
  }

  belief(tree: Tree): Belief {
    return countedBelief(() => sampleVotes(tree), this.needsVerifier ? 'mean' : 'none');
  }

  answer(tree: Tree): Answer | undefined {
    return chosenAnswer(tree, this.options.choose);
  }
}
