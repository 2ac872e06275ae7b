// Recursive self-aggregation (Venkatraman et al., arXiv 2509.26626): answers are written in rounds, without a verifier. The first round
// are plain samples; in each later one the model is shown some answers of the round before and writes a better one. The answer is
// the one that most of the last round give. An answer is one draw below the root: what it was shown stands behind the question
// and is no part of it, so that a later answer is a path like any other. Compacted to last words it is PaCoRe's (arXiv 2601.05593).

import { groupAnswers } from '../answer/groups.ts';
import { wideHash } from '../base/random.ts';
import type { Answer } from '../log/end.ts';
import { type Certainty, certaintyOf, type PathVote, voteOf } from '../tree/certaindex.ts';
import { type Node, saysSomething } from '../tree/node.ts';
import type { Manner, Sampling } from '../tree/step.ts';
import type { Strand } from '../tree/strand.ts';
import type { Tree } from '../tree/tree.ts';
import { answerTokensKnob } from './answer-tokens.ts';
import { attemptsText, attemptTokensKnob } from './attempts.ts';
import { bestAnswer, certainAnswer } from './choice.ts';
import { defineProgram } from './definition.ts';
import { askBelow, foldOutcome, follow, leastPromising, openAt, readyStrand } from './growth.ts';
import type { Ask, Doomed, Expansion, Outcome, Program } from './program.ts';

interface AggregateOptions {
  /** Answers of a round, and rounds. */
  readonly population: number;
  readonly rounds: number;
  /** K: answers that the model is shown. */
  readonly shown: number;
  readonly answerTokens: number;
  readonly attemptTokens: number;
  readonly sampling: Sampling;
  /** With `{attempts}` where the answers stand. */
  readonly prompt: string;
}

/** Among four rounds the rollouts are divided; the authors go up to 10 rounds of 16 answers. */
const aggregateDefaults: AggregateOptions = {
  population: 4,
  rounds: 4,
  shown: 4,
  answerTokens: 1024,
  attemptTokens: 0,
  sampling: { temperature: 0.8 },
  prompt: '{attempts}\n\n',
};

export const aggregate = defineProgram({
  name: 'aggregate',
  summary: 'answers in rounds, each written from some answers of the round before; needs no verifier',
  needsVerifier: false,
  expandsOnce: false,
  takesTemperature: true,
  options: { answerTokens: answerTokensKnob, attemptTokens: attemptTokensKnob },
  prompts: ['aggregate'],
  create: ({ rollouts, sampling, maxPathTokens, prompts }, { answerTokens, attemptTokens }) =>
    createAggregate({
      population: Math.max(1, Math.floor(rollouts / aggregateDefaults.rounds)),
      sampling,
      prompt: prompts.aggregate,
      answerTokens: Math.min(answerTokens, maxPathTokens ?? answerTokens),
      attemptTokens,
    }),
});

export function createAggregate(given: Partial<AggregateOptions> = {}): Program {
  return new Aggregate({ ...aggregateDefaults, ...given });
}

class Aggregate implements Program {
  readonly name = 'aggregate';
  readonly needsVerifier = false;
  readonly readsLogprobs = false;
  readonly expandsOnce = false;
  readonly naturalWidth: number;
  readonly #options: AggregateOptions;

  constructor(options: AggregateOptions) {
    this.naturalWidth = options.population;
    this.#options = options;
  }

  ask(tree: Tree, mayOpen: boolean, doomed?: Doomed): Ask | undefined {
    const ready = readyStrand(tree, advance);
    const [next] = this.#free(tree, 1);
    if (next === undefined || (ready === undefined && (!mayOpen || doomed?.(tree.root)))) return undefined;
    const strand = ready ?? openAt(tree, tree.root);
    return askBelow(tree, strand, [next], this.#options.sampling, this.#mannerOf(tree, next));
  }

  tell(tree: Tree, outcome: Outcome): boolean {
    const strand = foldOutcome(tree, outcome, { maxDepth: 1 });
    if (strand !== undefined) advance(tree, strand);
    return strand !== undefined;
  }

  foresee(tree: Tree, count: number, doomed?: Doomed): Expansion[] {
    if (doomed?.(tree.root)) return [];
    const { sampling } = this.#options;
    return this.#free(tree, count).map((index) => {
      return { node: tree.root, indices: [index], sampling, manner: this.#mannerOf(tree, index) };
    });
  }

  demand(): number {
    return this.naturalWidth;
  }

  yield(tree: Tree, count: number): number[] {
    return leastPromising(tree, count);
  }

  certainty(tree: Tree, upTo?: number): Certainty {
    const { answers, agreement } = certaintyOf(this.votes(tree).slice(0, upTo), 'mean');
    return { answers, agreement };
  }

  /** Those of the last round that is complete: later ones were written from earlier ones, and do not count beside them. */
  votes(tree: Tree): PathVote[] {
    return this.#round(tree, Math.max(0, this.#complete(tree) - 1))
      .filter(saysSomething)
      .map(voteOf);
  }

  answer(tree: Tree): Answer | undefined {
    const votes = this.votes(tree);
    const [leader] = groupAnswers(votes);
    if (leader === undefined) return bestAnswer(tree);
    const [first] = leader.votes;
    return { ...certainAnswer(tree, first!.node.id), support: leader.weight / votes.length };
  }

  compose(_tree: Tree, sources: readonly Node[]): string {
    return attemptsText(this.#options.prompt, sources, this.#options.attemptTokens);
  }

  /** Indices that may be asked for now: those of the first round that is not complete. */
  #free(tree: Tree, count: number): number[] {
    const { population, rounds } = this.#options;
    const round = this.#complete(tree);
    if (round >= rounds) return [];
    const { byIndex, inFlight } = tree.root;
    const all = Array.from({ length: population }, (_, at) => round * population + at);
    return all.filter((index) => !byIndex?.has(index) && !inFlight?.has(index)).slice(0, count);
  }

  /** Rounds of which every answer has come. */
  #complete({ root }: Tree): number {
    let landed = 0;
    while (root.byIndex?.has(landed)) landed += 1;
    return Math.floor(landed / this.#options.population);
  }

  /** The answers of a round in the order of their indices; twins are one node that stands here as often. */
  #round({ root }: Tree, round: number): Node[] {
    const { population } = this.#options;
    return Array.from({ length: population }, (_, at) => root.byIndex?.get(round * population + at)).filter(
      (node) => node !== undefined,
    );
  }

  /** Which answers an answer is written from follows from its index and from theirs, so that it is the same in every run. */
  #mannerOf(tree: Tree, index: number): Manner {
    const { population, shown, answerTokens: maxTokens } = this.#options;
    const round = Math.floor(index / population);
    if (round === 0) return { stops: [], maxTokens };
    const drawn = this.#round(tree, round - 1).map((node, at) => ({ node, rank: wideHash(node.key, index, at) }));
    const sources = drawn.sort((a, b) => a.rank - b.rank).slice(0, shown);
    return { stops: [], maxTokens, sources: sources.map(({ node }) => node.key) };
  }
}

function advance(tree: Tree, strand: Strand): void {
  const [next] = strand.landed;
  if (next === undefined) tree.record({ type: 'closed', strand: strand.id, closing: 'failed' });
  else follow(tree, strand, next);
}
