// What a false equation in a sample says of it, on recorded samples with their texts: how often right and wrong samples have one, where the
// first stands, and what a vote gains if such samples count less. Draws nothing: what a tree would write in place of such a line is not known.

import { canonical, extractAnswer, falseEquation } from '@coppice/core/answer';
import { mean, percentile, Random } from '@coppice/core/base';
import { meanDifference } from '../statistics.ts';
import { recordedLines, type Sample } from './rivals.ts';
import { shuffled } from './worth-course.ts';

export interface CheckedSample extends Sample {
  /** Share of its characters before the end of its first step with a false equation. */
  readonly falseAt: number | undefined;
}

/** A line of a file of solutions, or of one with their scores, which has no text. */
interface SolutionLine {
  readonly set: string;
  readonly index: number;
  readonly system: string;
  readonly sample: number;
  /** Null of a whole sample; continuations below another's prefix are left out. */
  readonly parent: number | null;
  readonly right: boolean;
  readonly tokens: number;
  readonly text: string;
  readonly answer?: string | null;
  readonly odds?: readonly number[];
}

/** Samples of each question by set; answers are those of the scores where there are any. */
export function checkedSamples(
  solutions: readonly string[],
  scores: readonly string[],
): Map<string, CheckedSample[][]> {
  const nameOf = ({ set, index, system, sample }: SolutionLine) => `${set}:${index}:${system}:${sample}`;
  const whole = (file: string) => recordedLines<SolutionLine>(file).filter(({ parent }) => parent === null);
  const scored = new Map(scores.flatMap(whole).map((line) => [nameOf(line), line]));
  const lines = solutions.flatMap(whole);
  const sets = Map.groupBy(lines, ({ set }) => set);
  const sampleOf = (line: SolutionLine): CheckedSample => {
    const found = scored.get(nameOf(line));
    const answer = found === undefined ? extractAnswer(line.text) : (found.answer ?? undefined);
    return {
      tokens: line.tokens,
      right: line.right,
      group: answer === undefined ? undefined : canonical(answer),
      score: 1 / (1 + Math.exp(-(found?.odds?.at(-1) ?? 0))),
      falseAt: firstFalse(line.text),
    };
  };
  const questionsOf = (own: readonly SolutionLine[]) =>
    [...Map.groupBy(own, ({ index, system }) => `${index}:${system}`).values()].map((each) => each.map(sampleOf));
  return new Map([...sets].map(([set, own]) => [set, questionsOf(own)]));
}

function firstFalse(text: string): number | undefined {
  let end = 0;
  for (const step of text.split('\n\n')) {
    end += step.length + 2;
    if (falseEquation(step) !== undefined) return Math.min(1, end / text.length);
  }
  return undefined;
}

export interface AlarmRow {
  readonly samples: number;
  readonly right: number;
  /** Shares of right and of wrong samples with a false equation. */
  readonly ofRight: number;
  readonly ofWrong: number;
  /** Median of `falseAt`. */
  readonly at: number;
  /** Right samples among those with a false equation, and among the others of the same questions. */
  readonly alarmed: number;
  readonly others: number;
}

export function alarmRow(questions: readonly (readonly CheckedSample[])[]): AlarmRow {
  const all = questions.flat();
  const share = (of: readonly CheckedSample[], is: (sample: CheckedSample) => boolean) =>
    mean(of.map((each) => Number(is(each))));
  const isFalse = ({ falseAt }: CheckedSample) => falseAt !== undefined;
  const isRight = ({ right }: CheckedSample) => right;
  const both = questions.filter((samples) => samples.some(isFalse) && !samples.every(isFalse));
  // Each question counts by its samples with a false equation: as often as one would be drawn again.
  const others = both.flatMap((samples) => {
    const right = share(
      samples.filter((each) => !isFalse(each)),
      isRight,
    );
    return samples.filter(isFalse).map(() => right);
  });
  return {
    samples: all.length,
    right: share(all, isRight),
    ofRight: share(all.filter(isRight), isFalse),
    ofWrong: share(
      all.filter((each) => !isRight(each)),
      isFalse,
    ),
    at: percentile(
      all.flatMap(({ falseAt }) => falseAt ?? []),
      50,
    ),
    alarmed: share(both.flat().filter(isFalse), isRight),
    others: mean(others),
  };
}

export interface CheckedVote {
  readonly count: number;
  readonly rule: 'majority' | 'weighted';
  readonly plain: number;
  readonly gain: ReturnType<typeof meanDifference>;
}

/** Votes of so many samples in random orders, all counting alike or those with a false equation `weight`; a tie counts as the share of right answers in it. */
export function checkedVotes(
  questions: readonly (readonly CheckedSample[])[],
  vote: { readonly counts: readonly number[]; readonly weight: number; readonly orders: number; readonly seed: number },
): CheckedVote[] {
  const { counts, weight, orders, seed } = vote;
  const most = Math.max(...questions.map(({ length }) => length));
  const full = questions.filter(({ length }) => length === most);
  return counts.flatMap((count) =>
    (['majority', 'weighted'] as const).map((rule) => {
      const rights = full.map((samples, at) => {
        const random = new Random('orders', seed, at);
        const drawn = Array.from({ length: orders }, () =>
          shuffled(most, random)
            .slice(0, count)
            .map((each) => samples[each]!),
        );
        const voted = (of: number) =>
          mean(
            drawn.map((each) =>
              rightOf(
                each,
                ({ score, falseAt }) => (rule === 'majority' ? 1 : score) * (falseAt === undefined ? 1 : of),
              ),
            ),
          );
        return [voted(1), voted(weight)] as const;
      });
      return {
        count,
        rule,
        plain: mean(rights.map(([plain]) => plain)),
        gain: meanDifference(rights.map(([plain, checked]) => checked - plain)),
      };
    }),
  );
}

function rightOf(samples: readonly CheckedSample[], weightOf: (sample: CheckedSample) => number): number {
  const weights = new Map<string, { weight: number; right: boolean }>();
  for (const sample of samples) {
    if (sample.group === undefined) continue;
    const found = weights.get(sample.group) ?? { weight: 0, right: sample.right };
    found.weight += weightOf(sample);
    weights.set(sample.group, found);
  }
  const most = Math.max(...[...weights.values()].map(({ weight }) => weight));
  const first = [...weights.values()].filter(({ weight }) => weight > most - 1e-9);
  return first.length === 0 ? 0 : mean(first.map(({ right }) => Number(right)));
}
