// Independent samples, each grown step by step from the root. A sample is a strand; a window says how many of them are open at a time.
// What the programs of best-of-n.ts and auto.ts have in common.

import type { Answer } from '../log/end.ts';
import { type Belief, countedBelief, sampleVotes } from '../tree/readings/certaindex.ts';
import type { Tree } from '../tree/tree.ts';
import { affordable } from './affordable.ts';
import { chosenAnswer } from './choice.ts';
import { type ProgramSize, usualSize } from './definition.ts';
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
import type { Ask, Doomed, Expansion, GrowthLimits, Outcome, Program, StepReading } from './program.ts';

export interface SamplesOptions
  extends Pick<ProgramSize, 'maxDepth' | 'maxPathTokens' | 'tokenBudget' | 'sampling' | 'choose' | 'thinking'> {
  readonly samples: number;
  /** Samples that are open at a time; 0 opens all at once. */
  readonly window: number;
}

export const samplesDefaults: SamplesOptions = { ...usualSize, samples: 16, window: 0 };

/** Every sample is a new child of the root, so none of these expands a node once. */
export const samplesShape = { expandsOnce: false, samplesIndependently: true } as const;

export class Samples implements Program {
  readonly name: string;
  readonly needsVerifier: boolean;
  readonly reads: readonly StepReading[];
  readonly expandsOnce = samplesShape.expandsOnce;
  readonly samplesIndependently = samplesShape.samplesIndependently;
  readonly naturalWidth: number;
  readonly maxPathTokens: number | undefined;
  readonly whole: GrowthLimits;
  protected readonly options: SamplesOptions;

  constructor(name: string, needsVerifier: boolean, options: SamplesOptions) {
    this.name = name;
    this.needsVerifier = needsVerifier;
    this.reads = options.choose === 'confident' ? ['confidence'] : [];
    this.naturalWidth = Math.min(options.samples, options.window || options.samples);
    this.maxPathTokens = options.maxPathTokens;
    this.whole = options;
    this.options = options;
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    const { sampling, tokenBudget } = this.options;
    const afford = affordable(tree, tokenBudget);
    const ready = readyStrand(tree, followLanded, undefined, ({ id }) => afford.goesOn(id));
    if (ready !== undefined) return askBelow(tree, ready, [freeIndex(ready.node)], sampling);
    const isFull = tree.strands.size >= this.naturalWidth || !afford.mayOpen;
    if (!mayOpen || isFull || rolloutsLeft(tree, this.wanted(tree)) <= 0 || doomed?.(tree.root)) return undefined;
    return askBelow(tree, openAt(tree, tree.root), [freeIndex(tree.root)], sampling);
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
    return Math.max(1, Math.min(this.naturalWidth, this.wanted(tree) - completed - pruned));
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
