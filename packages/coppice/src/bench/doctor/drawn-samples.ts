// Evaluates the independent samples of one question, by answers, scores and correctness: what at most m of them achieve and cost under each
// rule, and whether scores tell right from wrong. Samples are exchangeable, so figures are means over all rotations of their order. Pure.

import { meaningOf } from '@coppice/core/answer';
import { type GoldQuestion, isRight } from '@coppice/core/answering';
import { mean } from '@coppice/core/base';
import { votedWords } from '@coppice/core/program';
import { isComplete, type Node, sampleEnds, type Tree } from '@coppice/core/tree';

export const sampleRules = ['majority', 'weighted vote', 'best score'] as const;
export type SampleRule = (typeof sampleRules)[number];

/** A path's score: as the search aggregates rewards, or the reward after its last step. */
export type SampleScoring = 'own' | 'last';

export interface DrawnSample {
  /** Equal for answers that mean the same; undefined if the sample gives no answer. */
  readonly meaning: string | undefined;
  readonly complete: boolean;
  readonly right: boolean;
  readonly tokens: number;
  /** 1 without a verifier. */
  readonly scores: Readonly<Record<SampleScoring, number>>;
}

/** Ordered by draw, never by end. */
export function samplesOf(question: GoldQuestion, tree: Tree): DrawnSample[] {
  return sampleEnds(tree).map((end) => sampleOf(question, end));
}

function sampleOf(question: GoldQuestion, end: Node): DrawnSample {
  const { group, reward, score, pathTokens: tokens } = end;
  const complete = isComplete(end);
  return {
    meaning: meaningOf({ answer: votedWords(end), group }),
    complete,
    right: complete && isRight(question, end.answer),
    tokens,
    scores: reward === undefined ? { own: 1, last: 1 } : { own: score, last: reward },
  };
}

/** Results of at most m samples, at place m - 1. */
export interface RuleCurve {
  readonly right: readonly number[];
  /** Share of the tokens of all samples. */
  readonly share: readonly number[];
}

/** `scoring` weighs votes and ranks samples. */
export function ruleCurve(rule: SampleRule, samples: readonly DrawnSample[], scoring: SampleScoring): RuleCurve {
  const walks = samples.map((_, at) => walk(rule, [...samples.slice(at), ...samples.slice(0, at)], scoring));
  const meanAt = (kind: keyof RuleCurve) => samples.map((_, at) => mean(walks.map((each) => each[kind][at]!)));
  return { right: meanAt('right'), share: meanAt('share') };
}

function walk(rule: SampleRule, order: readonly DrawnSample[], scoring: SampleScoring): RuleCurve {
  const state = new RuleState(rule, scoring);
  const right = order.map((sample) => {
    state.add(sample);
    return Number(state.chosen?.right ?? false);
  });
  let all = 0;
  const tokens = order.map((each) => (all += each.tokens));
  return { right, share: tokens.map((each) => (all === 0 ? 1 : each / all)) };
}

interface VotedAnswer {
  weight: number;
  best: DrawnSample;
}

/** Tolerance for rounding: weights are sums of fractions. */
const rounding = 1e-12;

/** The state of a rule after each sample. */
class RuleState {
  readonly #rule: SampleRule;
  readonly #scoring: SampleScoring;
  readonly #groups = new Map<string, VotedAnswer>();
  #best: DrawnSample | undefined;

  constructor(rule: SampleRule, scoring: SampleScoring) {
    this.#rule = rule;
    this.#scoring = scoring;
  }

  add(sample: DrawnSample): void {
    if (sample.complete && (this.#best === undefined || this.#score(sample) > this.#score(this.#best)))
      this.#best = sample;
    if (sample.meaning === undefined) return;
    const weight = this.#rule === 'majority' ? 1 : this.#score(sample);
    const group = this.#groups.get(sample.meaning);
    if (group === undefined) return void this.#groups.set(sample.meaning, { weight, best: sample });
    group.weight += weight;
    if (this.#score(sample) > this.#score(group.best)) group.best = sample;
  }

  /** Ties in weight go to the answer with the better sample. */
  get chosen(): DrawnSample | undefined {
    if (this.#rule === 'best score') return this.#best;
    let leader: VotedAnswer | undefined;
    for (const group of this.#groups.values()) {
      const lead = group.weight - (leader?.weight ?? Number.NEGATIVE_INFINITY);
      if (lead > rounding || (lead > -rounding && this.#score(group.best) > this.#score(leader!.best))) leader = group;
    }
    return leader?.best ?? this.#best;
  }

  #score({ scores }: DrawnSample): number {
    return scores[this.#scoring];
  }
}

/**
 * Share of right-wrong pairs in which the right sample scores higher (AUC within the question; ties count half);
 * undefined if all are right, or all wrong.
 */
export function preference(samples: readonly DrawnSample[], scoring: SampleScoring): number | undefined {
  const right = samples.filter((each) => each.right);
  const wrong = samples.filter((each) => !each.right);
  if (right.length === 0 || wrong.length === 0) return undefined;
  const pairs = right.flatMap((good) =>
    wrong.map((bad) => (Math.sign(good.scores[scoring] - bad.scores[scoring]) + 1) / 2),
  );
  return mean(pairs);
}
