// Recursive self-aggregation (Venkatraman et al., arXiv 2509.26626), without a verifier. The first round are plain samples; in each later
// one the model is shown some answers of the round before and writes a better one. The majority of the last round is the answer. An
// answer is one draw below the root; the shown answers stand behind the question and are no part of the path. Compacted to last words it
// is PaCoRe's (arXiv 2601.05593).

import { wideHash } from '@coppice/core/base';
import type { Answer } from '@coppice/core/log';
import {
  answersOf,
  attemptsText,
  defineProgram,
  landedOf,
  type Program,
  RootAnswers,
  votedAnswer,
  votesOf,
  type WritingOptions,
  writingDefaults,
  writingKnobs,
  writingOf,
  writingShape,
} from '@coppice/core/program';
import type { Manner, Node, PathVote, Tree } from '@coppice/core/tree';

/** `prompt` has `{attempts}` where the answers stand. */
interface AggregateOptions extends WritingOptions {
  readonly population: number;
  readonly rounds: number;
  /** K answers that the model is shown. */
  readonly shown: number;
}

/** Four rounds share the rollouts; the authors go up to 10 rounds of 16 answers. */
const aggregateDefaults: AggregateOptions = {
  ...writingDefaults,
  population: 4,
  rounds: 4,
  shown: 4,
  prompt: '{attempts}\n\n',
};

export const aggregate = defineProgram({
  ...writingShape,
  name: 'aggregate',
  summary: 'answers in rounds, each written from some answers of the round before; needs no verifier',
  options: writingKnobs,
  prompts: ['aggregate'],
  create: (size, options) =>
    createAggregate({
      ...writingOf(size, options, size.prompts.aggregate),
      population: Math.max(1, Math.floor(size.rollouts / aggregateDefaults.rounds)),
    }),
});

export function createAggregate(given: Partial<AggregateOptions> = {}): Program {
  return new Aggregate({ ...aggregateDefaults, ...given });
}

class Aggregate extends RootAnswers implements Program {
  readonly name = 'aggregate';
  readonly #options: AggregateOptions;

  constructor(options: AggregateOptions) {
    super(options.population, options.sampling);
    this.#options = options;
  }

  /** Answers of the last complete round: later ones are written from earlier ones, so only one round counts. */
  protected votes(tree: Tree): PathVote[] {
    return votesOf(this.#answers(tree, Math.max(0, this.#complete(tree) - 1)));
  }

  answer(tree: Tree): Answer | undefined {
    return votedAnswer(tree, this.votes(tree));
  }

  compose(_tree: Tree, sources: readonly Node[]): string {
    return attemptsText(this.#options.prompt, sources);
  }

  protected round(tree: Tree): number[] {
    const { population, rounds } = this.#options;
    const round = this.#complete(tree);
    return round >= rounds ? [] : Array.from({ length: population }, (_, at) => round * population + at);
  }

  /** The shown answers follow from the index and from their own, so that they are the same in every run. */
  protected mannerOf(tree: Tree, index: number): Manner {
    const { population, shown, answerTokens: maxTokens } = this.#options;
    const round = Math.floor(index / population);
    if (round === 0) return { stops: [], maxTokens };
    const drawn = this.#answers(tree, round - 1).map((node, at) => ({ node, rank: wideHash(node.key, index, at) }));
    const sources = drawn.sort((a, b) => a.rank - b.rank).slice(0, shown);
    return { stops: [], maxTokens, sources: sources.map(({ node }) => node.key) };
  }

  #complete(tree: Tree): number {
    return Math.floor(landedOf(tree) / this.#options.population);
  }

  #answers(tree: Tree, round: number): Node[] {
    const { population } = this.#options;
    return answersOf(tree, round * population, (round + 1) * population);
  }
}
