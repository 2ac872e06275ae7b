// One order of a question's samples as a search sees them end, and the state of the vote after each. Ties are not drawn: a tie counts as its share of right
// answers. Only arrays of numbers, since a table replays millions of stops.

import type { Random } from '@coppice/core/base';
import { expectedNeed, firstWaveOf, nextWave } from '@coppice/core/tree';
import type { Sample } from './rivals.ts';

/** Samples in the order of the recording. */
export interface VoteQuestion {
  /** Number of each sample's answer; -1 where it gives none. */
  readonly answers: Int16Array;
  readonly tokens: Float64Array;
  /** The judge's; NaN where it failed to read. */
  readonly scores: Float64Array;
  /** By answer: 1 or 0. */
  readonly right: Uint8Array;
}

export function questionOf(samples: readonly Sample[]): VoteQuestion {
  const numbers = new Map<string, number>();
  const right: number[] = [];
  const answers = samples.map(({ group, right: isRight }) => {
    if (group === undefined) return -1;
    if (!numbers.has(group)) right.push(Number(isRight));
    if (!numbers.has(group)) numbers.set(group, numbers.size);
    return numbers.get(group)!;
  });
  return {
    answers: Int16Array.from(answers),
    tokens: Float64Array.from(samples, ({ tokens }) => tokens),
    scores: Float64Array.from(samples, ({ score }) => score),
    right: Uint8Array.from(right),
  };
}

/** The state of the vote after each sample. */
export interface Standings {
  readonly first: readonly number[];
  readonly second: readonly number[];
  /** Share of right answers among those that lead. */
  readonly right: readonly number[];
}

export interface VoteCourse {
  readonly question: VoteQuestion;
  /** Samples in the order of their ends. */
  readonly order: readonly number[];
  /** Tokens at each end, of open samples too. */
  readonly generated: readonly number[];
  /** Tokens of the samples that have ended. */
  readonly read: readonly number[];
  readonly votes: Standings;
  /** Scores added up. */
  readonly scores: Standings;
  /** Best sample by score. */
  readonly best: Standings;
}

export function shuffled(count: number, random: Random): number[] {
  const order = Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = random.integer(at + 1);
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  return order;
}

/** How samples begin and count: a number open at a time, each counted when it ends (short ones first) or when all that began before it have ended. */
export interface SampleDrawing {
  readonly open: number;
  readonly counts: 'by end' | 'in order';
}

export const oneByOne: SampleDrawing = { open: 1, counts: 'in order' };

/** Every open sample writes one token at a time. */
export function courseOf(question: VoteQuestion, begun: readonly number[], drawing: SampleDrawing): VoteCourse {
  const { order, generated } = drawing.open === 1 ? alone(question, begun) : together(question, begun, drawing);
  let sum = 0;
  const read = order.map((sample) => {
    sum += question.tokens[sample]!;
    return sum;
  });
  const scores = order.map((sample) => question.scores[sample]! || 0);
  const ones = scores.map(() => 1);
  return {
    question,
    order,
    generated,
    read,
    votes: standings(question, order, ones),
    scores: standings(question, order, scores),
    best: bests(question, order, scores),
  };
}

function alone({ tokens }: VoteQuestion, begun: readonly number[]) {
  let sum = 0;
  const generated = begun.map((sample) => {
    sum += tokens[sample]!;
    return sum;
  });
  return { order: begun, generated };
}

function together({ tokens }: VoteQuestion, begun: readonly number[], { open, counts }: SampleDrawing) {
  const [began, ends]: [number[], number[]] = [[], []];
  for (const [at, sample] of begun.entries()) {
    // A sample begins when the first of those that are open ends.
    const start = at < open ? 0 : ends.toSorted((a, b) => a - b)[at - open]!;
    began.push(start);
    ends.push(start + tokens[sample]!);
  }
  const places = begun.map((_, at) => at);
  if (counts === 'by end') places.sort((a, b) => ends[a]! - ends[b]! || a - b);
  let now = 0;
  const generated = places.map((place) => {
    now = Math.max(now, ends[place]!);
    let written = 0;
    for (let at = 0; at < ends.length; at += 1) written += Math.max(0, Math.min(now, ends[at]!) - began[at]!);
    return written;
  });
  return { order: places.map((place) => begun[place]!), generated };
}

/** Total samples after the first wave, and after the next one. */
export interface Waves {
  readonly first: (price: number, most: number) => number;
  readonly next: (standing: Parameters<typeof nextWave>[0], price: number, most: number) => number;
  /** When the rule is read: after each wave, or after each of its samples in their order, which aborts those that are open. */
  readonly looks: 'after each' | 'within';
}

/** Waves as coppice draws them: `usual` tokens per sample; hurried if strands are idle. */
export function shippedWaves(usual: number, hurried?: true): Waves {
  return {
    first: (price, most) => firstWaveOf({ price, hurried, usual }, most),
    next: (standing, price, most) => nextWave(standing, { price, hurried }, most),
    looks: 'after each',
  };
}

/** A first wave of this size, then this part of the samples that the rule expects to need. */
export function sizedWaves(first: number, part: number, looks: Waves['looks'] = 'after each'): Waves {
  const next: Waves['next'] = (standing, price, most) => {
    const missing = expectedNeed(standing, price, most) - standing.samples;
    return Math.min(most, standing.samples + Math.max(1, Math.ceil(part * missing)));
  };
  return { first: (_, most) => Math.min(first, most), next, looks };
}

/** Samples drawn in waves and counted in their order. A wave's samples are open together; the next wave begins when all have ended. */
export class DrawnWaves {
  count = 0;
  /** Samples begun. */
  begun = 0;
  readonly #course: VoteCourse;
  #from = 0;
  #longest = 0;
  #before = 0;

  constructor(course: VoteCourse) {
    this.#course = course;
  }

  /** Draws up to so many in all. */
  begin(begun: number): void {
    this.count += 1;
    this.#before += this.#longest;
    this.#from = this.begun;
    this.#longest = 0;
    this.begun = begun;
  }

  /** Time in tokens: the longest samples of all waves, one after the other. */
  get time(): number {
    return this.#before + this.#longest;
  }

  /** Tokens of all when the next sample in order has ended, those of the wave that are open then too. */
  generated(ended: number): number {
    const { order, read, question } = this.#course;
    this.#longest = Math.max(this.#longest, question.tokens[order[ended - 1]!]!);
    let sum = this.#from === 0 ? 0 : read[this.#from - 1]!;
    for (let at = this.#from; at < this.begun; at += 1) sum += Math.min(this.#longest, question.tokens[order[at]!]!);
    return sum;
  }
}

/** `weights` are in the order of the samples. */
function standings({ answers, right }: VoteQuestion, order: readonly number[], weights: readonly number[]): Standings {
  const found = { first: [] as number[], second: [] as number[], right: [] as number[] };
  const sums = Array.from(right, () => 0);
  for (let at = 0; at < order.length; at += 1) {
    const answer = answers[order[at]!]!;
    if (answer >= 0) sums[answer]! += weights[at]!;
    const leaders = leadersOf(sums, right);
    found.first.push(leaders.first);
    found.second.push(leaders.second);
    found.right.push(leaders.right);
  }
  return found;
}

function bests({ answers, right }: VoteQuestion, order: readonly number[], scores: readonly number[]): Standings {
  const found = { first: [] as number[], second: [] as number[], right: [] as number[] };
  let [best, tied, rights] = [Number.NEGATIVE_INFINITY, 0, 0];
  for (let at = 0; at < order.length; at += 1) {
    if (scores[at]! > best) [best, tied, rights] = [scores[at]!, 0, 0];
    if (scores[at] === best) {
      tied += 1;
      rights += right[answers[order[at]!]!] ?? 0;
    }
    found.first.push(best);
    found.second.push(0);
    found.right.push(rights / tied);
  }
  return found;
}

/** Sums of the same scores in another order may differ by this much. */
const rounding = 1e-9;

/** The two largest weights, and the share of right answers among those with the largest. Answers without weight do not count. */
export function leadersOf(weights: readonly number[], right: Uint8Array) {
  let [first, second, tied, rights] = [0, 0, 0, 0];
  for (let answer = 0; answer < weights.length; answer += 1) {
    const weight = weights[answer]!;
    if (weight > first + rounding) {
      second = first;
      first = weight;
      tied = 1;
      rights = right[answer]!;
    } else if (tied > 0 && weight >= first - rounding) {
      second = first;
      tied += 1;
      rights += right[answer]!;
    } else if (weight > second) second = weight;
  }
  return { first, second, right: tied === 0 ? 0 : rights / tied };
}
