// Recursive self-aggregation (Venkatraman et al., arXiv 2509.26626): answers are written in rounds, without a verifier. The first round
// are plain samples; in each later one the model is shown some answers of the round before and writes a better one. The answer is
// the one that most of the last round give. An answer is one draw below the root: what it was shown stands behind the question
// and is no part of it, so that a later answer is a path like any other. Compacted to last words it is PaCoRe's (arXiv 2601.05593).

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
  /** Answers of a round, and rounds. */
  readonly population: number;
  readonly rounds: number;
  /** K: answers that the model is shown. */
  readonly shown: number;
}

/** Among four rounds the rollouts are divided; the authors go up to 10 rounds of 16 answers. */
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

  /** Those of the last round that is complete: later ones were written from earlier ones, and do not count beside them. */
  protected votes(tree: Tree): PathVote[] {
    return votesOf(this.#answers(tree, Math.max(0, this.#complete(tree) - 1)));
  }

  answer(tree: Tree): Answer | undefined {
    return votedAnswer(tree, this.votes(tree));
  }

  compose(_tree: Tree, sources: readonly Node[]): string {
    return attemptsText(this.#options.prompt, sources);
  }

  /** The first that is not complete. */
  protected round(tree: Tree): number[] {
    const { population, rounds } = this.#options;
    const round = this.#complete(tree);
    return round >= rounds ? [] : Array.from({ length: population }, (_, at) => round * population + at);
  }

  /** Which answers an answer is written from follows from its index and from theirs, so that it is the same in every run. */
  protected mannerOf(tree: Tree, index: number): Manner {
    const { population, shown, answerTokens: maxTokens } = this.#options;
    const round = Math.floor(index / population);
    if (round === 0) return { stops: [], maxTokens };
    const drawn = this.#answers(tree, round - 1).map((node, at) => ({ node, rank: wideHash(node.key, index, at) }));
    const sources = drawn.sort((a, b) => a.rank - b.rank).slice(0, shown);
    return { stops: [], maxTokens, sources: sources.map(({ node }) => node.key) };
  }

  /** Rounds of which every answer has come. */
  #complete(tree: Tree): number {
    return Math.floor(landedOf(tree) / this.#options.population);
  }

  #answers(tree: Tree, round: number): Node[] {
    const { population } = this.#options;
    return answersOf(tree, round * population, (round + 1) * population);
  }
}
