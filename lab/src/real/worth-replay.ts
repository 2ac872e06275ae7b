// Replays rules that stop a vote over recorded samples in random orders. The judge reads a sample when it has ended. A sample that is
// open when the search stops counts with its tokens so far.

import type { Random } from '@coppice/core/base';
import { worthOf } from '@coppice/core/tree';
import { leadNeeded } from '@coppice/papers/rules';
import { type AutoSettings, type Stopped, stopAuto } from './worth-auto.ts';
import {
  courseOf,
  oneByOne,
  type SampleDrawing,
  shippedWaves,
  shuffled,
  sizedWaves,
  type VoteCourse,
  type VoteQuestion,
  type Waves,
} from './worth-course.ts';

/** One way to stop, at one of its levels: a number of samples, a risk or a price. */
export interface Arm {
  readonly name: string;
  /** The rule that this one is with other samples open or in waves. */
  readonly variantOf?: string;
  /** The variant that coppice draws by. */
  readonly isShipped?: boolean;
  readonly drawing: SampleDrawing;
  /** From the hastiest on. */
  readonly levels: readonly number[];
  readonly stop: (course: VoteCourse, level: number) => Stopped;
}

/** Every level of one arm, question by question, as means over the orders. */
export interface Replayed {
  readonly arm: Arm;
  readonly levels: readonly ReplayedLevel[];
}

interface ReplayedLevel {
  readonly right: Float64Array;
  readonly spent: Float64Array;
  /** Tokens that a judge has read. */
  readonly read: Float64Array;
  /** Number of waves of every search. */
  readonly waves: Uint8Array;
  readonly times: Float64Array;
}

export function emptyLevel(questions: number, orders: number): ReplayedLevel {
  return {
    right: new Float64Array(questions),
    spent: new Float64Array(questions),
    read: new Float64Array(questions),
    waves: new Uint8Array(questions * orders),
    times: new Float64Array(questions * orders),
  };
}

/** All arms see a question's samples in the same orders, which `randomOf(question)` draws. */
export function replayArms(
  questions: readonly VoteQuestion[],
  arms: readonly Arm[],
  orders: number,
  randomOf: (question: number) => Random,
  begin: (question: VoteQuestion, random: Random) => readonly number[] = ({ tokens }, random) =>
    shuffled(tokens.length, random),
): Replayed[] {
  const found = arms.map((arm) => ({ arm, levels: arm.levels.map(() => emptyLevel(questions.length, orders)) }));
  const drawings = [...new Set(arms.map(({ drawing }) => drawing))];
  for (const [question, samples] of questions.entries()) {
    const random = randomOf(question);
    for (let order = 0; order < orders; order += 1) {
      const begun = begin(samples, random);
      for (const drawing of drawings) {
        const course = courseOf(samples, begun, drawing);
        for (const { arm, levels } of found) {
          if (arm.drawing !== drawing) continue;
          for (const [at, { right, spent, read, waves, times }] of levels.entries()) {
            const stopped = arm.stop(course, arm.levels[at]!);
            right[question]! += stopped.right / orders;
            spent[question]! += stopped.spent / orders;
            read[question]! += (stopped.read ?? 0) / orders;
            waves[question * orders + order] = stopped.waves;
            times[question * orders + order] = stopped.time;
          }
        }
      }
    }
  }
  return found;
}

/** Appends the sets to one another. */
export function pooled(sets: readonly (readonly Replayed[])[]): Replayed[] {
  return sets[0]!.map(({ arm, levels }, at) => ({
    arm,
    levels: levels.map((_, level) => {
      const all = sets.map((set) => set[at]!.levels[level]!);
      return {
        right: Float64Array.from(all.flatMap(({ right }) => [...right])),
        spent: Float64Array.from(all.flatMap(({ spent }) => [...spent])),
        read: Float64Array.from(all.flatMap(({ read }) => [...read])),
        waves: Uint8Array.from(all.flatMap(({ waves }) => [...waves])),
        times: Float64Array.from(all.flatMap(({ times }) => [...times])),
      };
    }),
  }));
}

type VotedBy = 'votes' | 'scores' | 'best';

/** What a search has spent when so many samples have ended; without a judge where its cost is 0. */
function spentAt({ generated, read }: VoteCourse, ended: number, cost: number): number {
  return generated[ended - 1]! + cost * read[ended - 1]!;
}

function stopUniform(course: VoteCourse, count: number, by: VotedBy, cost: number): Stopped {
  const spent = spentAt(course, count, cost);
  return { right: course[by].right[count - 1]!, spent, waves: 1, time: spent };
}

/** One at a time until scores are so far apart. */
function stopByLead(course: VoteCourse, risk: number, cost: number): Stopped {
  const { first, second, right } = course.scores;
  const needed = leadNeeded(risk);
  let ended = 1;
  while (ended < first.length && first[ended - 1]! - second[ended - 1]! < needed) ended += 1;
  const spent = spentAt(course, ended, cost);
  return { right: right[ended - 1]!, spent, waves: ended, time: spent };
}

/** The line over scores that are added up, every sample judged. */
function stopJudged(course: VoteCourse, price: number, cost: number): Stopped {
  const { first, second, right } = course.scores;
  const worthAt = (ended: number) =>
    worthOf({ lead: first[ended - 1]! - second[ended - 1]!, spent: spentAt(course, ended, cost) });
  let ended = 1;
  while (ended < first.length && worthAt(ended) >= price) ended += 1;
  const spent = spentAt(course, ended, cost);
  return { right: right[ended - 1]!, spent, waves: ended, time: spent };
}

const risks = Array.from({ length: 24 }, (_, at) => 0.95 * 0.8 ** at);
const prices = Array.from({ length: 36 }, (_, at) => 0.005 * 0.77 ** at);

export function autoArm(name: string, settings: AutoSettings, levels: readonly number[] = prices): Arm {
  return { name, drawing: oneByOne, levels, stop: (course, price) => stopAuto(course, price, settings) };
}

/** The compared arms, each with at most `most` samples of `usual` tokens: uniform numbers of samples, `certain: lead`, the line with and without a judge, and `auto`. */
export function allArms(most: number, settings: AutoSettings, usual: number): Arm[] {
  const { cost } = settings;
  const counts = Array.from({ length: most }, (_, at) => at + 1);
  const single = (name: string, levels: readonly number[], stop: Arm['stop']): Arm => {
    return { name, drawing: oneByOne, levels, stop };
  };
  const variant = (arm: Arm, how: string, changed: Partial<Arm>): Arm => {
    return { ...arm, ...changed, name: `${arm.name}, ${how}`, variantOf: arm.name };
  };
  const lead = single('lead', risks, (course, risk) => stopByLead(course, risk, cost));
  const unjudged = { ...settings, trust: undefined };
  const blind = autoArm('blind', unjudged);
  const auto = autoArm('auto', settings);
  const inWaves = (how: string, waves: Waves) => [
    variant(blind, how, { stop: (course, price) => stopAuto(course, price, { ...unjudged, waves }) }),
    variant(auto, how, { stop: (course, price) => stopAuto(course, price, { ...settings, waves }) }),
  ];
  const drawings: [string, SampleDrawing][] = [4, most].flatMap((open) => [
    [`${open} open`, { open, counts: 'in order' }],
    [`${open} open, short first`, { open, counts: 'by end' }],
  ]);
  return [
    single('vote', counts, (course, count) => stopUniform(course, count, 'votes', 0)),
    single('weighted vote', counts, (course, count) => stopUniform(course, count, 'scores', cost)),
    single('best of n', counts, (course, count) => stopUniform(course, count, 'best', cost)),
    lead,
    single('judged', prices, (course, price) => stopJudged(course, price, cost)),
    blind,
    auto,
    ...drawings.flatMap(([how, drawing]) => [lead, blind, auto].map((arm) => variant(arm, how, { drawing }))),
    ...inWaves('in waves', shippedWaves(usual)).map((arm) => ({ ...arm, isShipped: true })),
    ...inWaves('in a hurry', shippedWaves(usual, true)).map((arm) => ({ ...arm, isShipped: true })),
    ...inWaves('2 + half', sizedWaves(2, 0.5)),
    ...inWaves('2 + half, looks within', sizedWaves(2, 0.5, 'within')),
    ...inWaves('4 + all', sizedWaves(4, 1)),
  ];
}
