// Evaluates a comparison: accuracy and tokens of each contender, the tree against samples of equal cost with an interval paired by
// question, and whether scores tell right from wrong. Pure; advice.ts puts it into words.

import { meanOrZero } from '@coppice/core/base';
import { cautiousDifference, type Interval } from '../statistics.ts';
import type { ComparedQuestion, ComparedRun, Spent } from './compare.ts';
import {
  preference,
  type RuleCurve,
  ruleCurve,
  type SampleRule,
  type SampleScoring,
  sampleRules,
} from './drawn-samples.ts';

export interface ComparedRow {
  readonly name: string;
  /** Set for rules over samples. */
  readonly rule?: SampleRule;
  readonly right: number;
  readonly generated: number;
  readonly scored: number;
}

export interface EqualCost {
  readonly rule: SampleRule;
  /** Samples that cost what the tree costs; may be a fraction. */
  readonly samples: number;
  /** All samples together cost less than the tree. */
  readonly isShort: boolean;
  /** Right answers of the tree less those of the rule, from -1 to 1. */
  readonly difference: Interval;
}

export type Comparison = ReturnType<typeof comparisonOf>;

export function comparisonOf(run: ComparedRun, samples: number) {
  const { tree, questions, answered, failed, elapsedMs } = run;
  const told = { own: preferenceOf(questions, 'own'), last: preferenceOf(questions, 'last') };
  const scoring: SampleScoring = told.own.value > told.last.value ? 'own' : 'last';
  const ruled = sampleRules.map((rule) => new Ruled(rule, questions, (each) => ruleCurve(rule, each.samples, scoring)));
  const [, vote] = ruled;
  return {
    questions: questions.length,
    answered,
    failed,
    elapsedMs,
    samples,
    tree: { name: tree.name, flags: tree.flags },
    rows: [
      rowOf('greedy', questions, ({ greedy }) => greedy),
      ...ruled.map((each) => each.row(samples)),
      rowOf(tree.name, questions, (each) => each.tree),
    ],
    preference: told[scoring],
    equalCost: ruled.map((each) => each.against(questions, samples)),
    /** Difference of the weighted vote of all samples and greedy. */
    overGreedy: gain(
      vote!.right(samples),
      questions.map(({ greedy }) => Number(greedy.correct)),
    ),
  };
}

class Ruled {
  readonly #rule: SampleRule;
  readonly #curves: readonly (RuleCurve & { readonly sampled: Spent })[];

  constructor(rule: SampleRule, questions: readonly ComparedQuestion[], curve: (each: ComparedQuestion) => RuleCurve) {
    this.#rule = rule;
    this.#curves = questions.map((each) => ({ ...curve(each), sampled: each.sampled }));
  }

  /** Chances of a right answer by question, with at most `count` samples. */
  right(count: number): number[] {
    return this.#curves.map(({ right }) => right[count - 1]!);
  }

  row(count: number): ComparedRow {
    return {
      name: `${this.#rule} of ${count}`,
      rule: this.#rule,
      right: meanOrZero(this.right(count)),
      generated: meanOrZero(this.#curves.map(({ sampled, share }) => share[count - 1]! * sampled.generatedTokens)),
      scored: meanOrZero(this.#curves.map(({ sampled, share }) => share[count - 1]! * this.#scored(sampled))),
    };
  }

  /** Compares the tree with samples of the same cost, interpolated between two whole numbers of samples. */
  against(questions: readonly ComparedQuestion[], samples: number): EqualCost {
    const spent = meanOrZero(questions.map(({ tree }) => tree.generatedTokens + tree.scoredTokens));
    const costs = Array.from({ length: samples }, (_, at) => this.#cost(at + 1));
    const fits = costs.filter((cost) => cost <= spent).length;
    const whole = Math.max(1, fits);
    const next = costs[whole];
    const part = fits === 0 || next === undefined ? 0 : (spent - costs[whole - 1]!) / (next - costs[whole - 1]!);
    const [low, high] = [this.right(whole), this.right(Math.min(samples, whole + 1))];
    const right = low.map((each, at) => each + part * (high[at]! - each));
    const difference = gain(
      questions.map(({ tree }) => Number(tree.correct)),
      right,
    );
    const isShort = fits === samples && costs[samples - 1]! < nearlyEqual * spent;
    return { rule: this.#rule, samples: whole + part, isShort, difference };
  }

  #cost(count: number): number {
    const { generated, scored } = this.row(count);
    return generated + scored;
  }

  /** A majority needs no scores. */
  #scored({ scoredTokens }: Spent): number {
    return this.#rule === 'majority' ? 0 : scoredTokens;
  }
}

/** Ratio from which tokens count as equal. */
const nearlyEqual = 0.95;

function rowOf(
  name: string,
  questions: readonly ComparedQuestion[],
  of: (each: ComparedQuestion) => Spent,
): ComparedRow {
  const all = questions.map(of);
  return {
    name,
    right: meanOrZero(all.map(({ correct }) => Number(correct))),
    generated: meanOrZero(all.map(({ generatedTokens }) => generatedTokens)),
    scored: meanOrZero(all.map(({ scoredTokens }) => scoredTokens)),
  };
}

function gain(ours: readonly number[], theirs: readonly number[]): Interval {
  return cautiousDifference(ours.map((each, at) => each - theirs[at]!));
}

/** Share of right-wrong pairs in which the right sample scores higher, over the questions that have both kinds. */
function preferenceOf(questions: readonly ComparedQuestion[], scoring: SampleScoring) {
  const shares = questions.flatMap(({ samples }) => preference(samples, scoring) ?? []);
  const { value, low, high } = cautiousDifference(
    shares.map((share) => share - 0.5),
    0.5,
  );
  return { value: value + 0.5, low: low + 0.5, high: high + 0.5, questions: shares.length };
}
