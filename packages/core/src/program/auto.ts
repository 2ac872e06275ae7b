// Samples that vote, drawn while another is worth its price (tree/readings/worth.ts): two first, then waves of half of what the rule
// expects to need, never more than the rollouts. The exit `worth` ends the search; the program only opens no more than the wave.
// What it does next follows from the tree alone.

import type { Answer } from '../log/end.ts';
import type { Node } from '../tree/node.ts';
import { type Belief, countedBelief, type PathVote, votesAt } from '../tree/readings/certaindex.ts';
import { countedEnds, courseOf } from '../tree/readings/worth.ts';
import type { Tree } from '../tree/tree.ts';
import { Samples, type SamplesOptions, samplesDefaults, samplesShape } from './best-of-n.ts';
import { votedAnswer } from './choice.ts';
import { defineProgram } from './definition.ts';
import type { Program } from './program.ts';

interface AutoOptions extends SamplesOptions {
  /** Least worth of a sample: P(right) for a token, as the line estimates it. 0 draws all samples. */
  readonly price: number;
  /** Scored by a verifier: votes have weights then. */
  readonly judged: boolean;
  /** s of a weight odds^s; a score is its own weight where unset. */
  readonly trust?: number | undefined;
}

export function createAuto(options: Partial<AutoOptions> = {}): Program {
  return new Auto({ ...samplesDefaults, price: 0, judged: false, ...options, window: 0, choose: 'vote' });
}

export const auto = defineProgram({
  ...samplesShape,
  name: 'auto',
  summary: 'samples that vote, as many as are worth their price: reasoning_effort sets it',
  needsVerifier: false,
  takesVerifier: true,
  isPriced: true,
  takesTemperature: true,
  // One rule ends it: a score alone accepts no answer, and a path that cannot win still votes.
  policySettings: { positiveExit: 'off', negativeExit: 'off', boundPrune: 'off' },
  options: {},
  create: ({ rollouts: samples, branching: _, price = 0, judged = false, ...size }) =>
    createAuto({ ...size, samples, price, judged }),
});

class Auto extends Samples {
  readonly #price: number;
  readonly #weight: (node: Node) => number;

  constructor({ price, judged, trust, ...options }: AutoOptions) {
    super('auto', judged, options);
    this.#price = price;
    this.#weight = judged ? ({ score }) => weightOf(score, trust) : () => 1;
  }

  protected override wanted(tree: Tree): number {
    return courseOf(tree, this.#votes(tree), this.#price, this.options.samples).wanted;
  }

  override belief(tree: Tree): Belief {
    return countedBelief(() => this.#votes(tree), this.needsVerifier ? 'mean' : 'none');
  }

  override answer(tree: Tree): Answer | undefined {
    return votedAnswer(tree, this.#weight, 'first');
  }

  #votes(tree: Tree): PathVote[] {
    return votesAt(countedEnds(tree)).map((vote) => ({ ...vote, weight: this.#weight(vote.node) }));
  }
}

/** Odds of a score are held between these: one sure score must not outvote all others. */
const [leastScore, mostScore] = [0.01, 0.99];

function weightOf(score: number, trust: number | undefined): number {
  if (trust === undefined) return score;
  const held = Math.min(mostScore, Math.max(leastScore, score));
  return (held / (1 - held)) ** trust;
}
