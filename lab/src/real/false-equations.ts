// False equations in recorded samples: how often right and wrong samples have one, where the first one stands, and the gain of a vote that weighs
// such samples less. Draws nothing: what a model would write in place of such a line is unknown here.

import { canonical, extractAnswer, falseEquation } from '@coppice/core/answer';
import { mean, Random } from '@coppice/core/base';
import { meanDifference, percentile } from '../statistics.ts';
import { recordedLines, type Sample } from './rivals.ts';
import { courseOf, oneByOne, questionOf, shuffled } from './worth-course.ts';

interface CheckedSample extends Sample {
  /** Share of its characters before the end of its first step with a false equation. */
  readonly falseAt: number | undefined;
}

type Questions = readonly (readonly CheckedSample[])[];

/** A line of a file of solutions, or of one with their scores. */
interface SolutionLine extends Pick<Sample, 'tokens' | 'right'> {
  readonly set: string;
  readonly index: number;
  readonly system: string;
  readonly sample: number;
  /** Null of a whole sample; what goes on below another's prefix is left out. */
  readonly parent: number | null;
  readonly text: string;
  readonly answer?: string | null;
  readonly odds?: readonly number[];
}

/** Samples of each question by set, with the answers of the scores if there are any. */
export function checkedSamples(files: readonly string[], scores: readonly string[]): Map<string, CheckedSample[][]> {
  const nameOf = ({ set, index, system, sample }: SolutionLine) => [set, index, system, sample].join(':');
  const whole = (file: string) => recordedLines<SolutionLine>(file).filter(({ parent }) => parent === null);
  const scored = new Map(scores.flatMap(whole).map((line) => [nameOf(line), line]));
  const sampleOf = (line: SolutionLine): CheckedSample => {
    const { tokens, right, text } = line;
    const { answer = extractAnswer(text), odds = [] } = scored.get(nameOf(line)) ?? {};
    const group = answer === undefined || answer === null ? undefined : canonical(answer);
    return { tokens, right, group, score: 1 / (1 + Math.exp(-(odds.at(-1) ?? 0))), falseAt: firstFalse(text) };
  };
  const sets = Map.groupBy(files.flatMap(whole), ({ set }) => set);
  return new Map(
    [...sets].map(([set, lines]) => {
      const questions = Map.groupBy(lines, ({ index, system }) => `${index}:${system}`);
      return [set, [...questions.values()].map((own) => own.map(sampleOf))];
    }),
  );
}

function firstFalse(text: string): number | undefined {
  let end = 0;
  for (const step of text.split('\n\n')) {
    end += step.length + 2;
    if (falseEquation(step) !== undefined) return Math.min(1, end / text.length);
  }
  return undefined;
}

/** Shares of nothing are undefined: all samples of a file may be right, or none may have a false equation. */
export function alarmsIn(questions: Questions) {
  const isFalse = ({ falseAt }: CheckedSample) => falseAt !== undefined;
  const falseIn = (samples: readonly CheckedSample[]) => meanOrNone(samples.map((each) => Number(isFalse(each))));
  const rightIn = (samples: readonly CheckedSample[]) => meanOrNone(samples.map(({ right }) => Number(right)));
  const { true: right = [], false: wrong = [] } = Object.groupBy(questions.flat(), (each) => `${each.right}`);
  const both = questions.filter((samples) => samples.some(isFalse) && !samples.every(isFalse));
  // A question counts as often as one of its samples would be drawn again.
  const others = both.flatMap((samples) => {
    const clean = samples.filter((each) => !isFalse(each));
    return samples.filter(isFalse).map(() => rightIn(clean)!);
  });
  const places = questions.flat().flatMap(({ falseAt }) => falseAt ?? []);
  return {
    ofRight: falseIn(right),
    ofWrong: falseIn(wrong),
    medianAt: places.length === 0 ? undefined : percentile(places, 50),
    rightWith: rightIn(both.flat().filter(isFalse)),
    rightWithout: meanOrNone(others),
  };
}

function meanOrNone(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : mean(values);
}

/** Right answers of votes in random orders, plain and weighted by the judge, and the gain in points of weighing false equations. */
export function checkedVotes(
  questions: Questions,
  counts: readonly number[],
  weight: number,
  orders: number,
  seed: number,
) {
  const rules = { majority: () => 1, weighted: ({ score }: CheckedSample) => score };
  return Object.entries(rules).flatMap(([rule, votes]) => {
    const scoreOf = (each: CheckedSample, ofFalse: number) => votes(each) * (each.falseAt === undefined ? 1 : ofFalse);
    const counted = (samples: readonly CheckedSample[], ofFalse: number) =>
      questionOf(samples.map((each) => ({ ...each, score: scoreOf(each, ofFalse) })));
    const scored = questions.map((samples) => [counted(samples, 1), counted(samples, weight)]);
    const rights = scored.map((both, at) => {
      const random = new Random('orders', seed, at);
      const drawn = Array.from({ length: orders }, () => shuffled(both[0]!.tokens.length, random));
      return both.map((question) => drawn.map((order) => courseOf(question, order, oneByOne).scores.right));
    });
    return counts.map((count) => {
      const at = (which: number) => rights.map((both) => mean(both[which]!.map((right) => right[count - 1]!)));
      const [plain, checked] = [at(0), at(1)];
      const gain = meanDifference(plain.map((each, place) => checked[place]! - each));
      return { rule, count, plain: mean(plain), gain };
    });
  });
}
