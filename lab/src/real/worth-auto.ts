// `auto`: votes without a judge while another sample is worth its price. Where that ends and answers disagree, the judge reads samples of the leading ones
// if their tokens are worth the price too; then answers weigh what it found, and the same line says whether to draw on.

import { type Course, DrawnWaves, leadersOf, type VoteQuestion, type Waves } from './worth-course.ts';
import { expectedNeed, type WorthConstants, weightOf, worthConstants, worthOf, worthOfReading } from './worth-line.ts';

export interface Stopped {
  readonly right: number;
  readonly spent: number;
  readonly waves: number;
}

export interface AutoSettings {
  /** s of a weight odds^s. At 0 the judge reads nothing. */
  readonly trust: number;
  /** Of a token that the judge reads, in generated ones. */
  readonly cost: number;
  readonly constants?: WorthConstants | undefined;
  readonly waves?: Waves | undefined;
}

/** The line over votes alone where nothing is trusted. */
export function stopAuto(course: Course, price: number, settings: AutoSettings): Stopped {
  const { trust, cost, constants = worthConstants } = settings;
  const { generated, votes } = course;
  const waves = settings.waves && new DrawnWaves(course, settings.waves);
  const most = generated.length;
  waves?.begin(most);
  let judge: Judge | undefined;
  for (let ended = 1; ; ended += 1) {
    const at = ended - 1;
    const drawn = waves?.generated(ended) ?? generated[at]!;
    if (waves !== undefined && settings.waves!.looks === 'after each' && ended < waves.begun) continue;
    let lead = (votes.first[at]! - votes.second[at]!) / Math.sqrt(ended);
    let [right, spent] = [votes.right[at]!, drawn];
    let isOver = ended === most || worthOf(lead, spent, constants) < price;
    if (isOver && judge === undefined && trust > 0 && votes.second[at]! > 0) {
      const reader = new Judge(course, trust, constants);
      if (worthOfReading(lead, reader.unread(ended), cost, constants) >= price) judge = reader;
    }
    if (judge !== undefined) {
      ({ lead, right } = judge.read(ended));
      spent += cost * judge.tokens;
      isOver = ended === most || worthOf(lead, spent, constants) < price;
    }
    if (isOver) return { right, spent, waves: waves?.count ?? ended };
    if (ended === waves?.begun) waves.begin(expectedNeed({ ended, lead, spent }, price, most));
  }
}

/** What a judge has read of one course. */
class Judge {
  /** Tokens read so far, those of failed readings too. */
  tokens = 0;
  readonly #course: Course;
  readonly #question: VoteQuestion;
  readonly #trust: number;
  readonly #constants: WorthConstants;
  readonly #votes: number[];
  /** By answer: samples that were handed to the judge, those that it read, and their weights added up. */
  readonly #given: number[];
  readonly #found: number[];
  readonly #sums: number[];

  constructor(course: Course, trust: number, constants: WorthConstants) {
    this.#course = course;
    this.#question = course.question;
    this.#trust = trust;
    this.#constants = constants;
    const none = () => new Array<number>(course.question.right.length).fill(0);
    [this.#votes, this.#given, this.#found, this.#sums] = [none(), none(), none(), none()];
  }

  /** Tokens of what `read` would read. */
  unread(ended: number): number {
    let tokens = 0;
    for (const sample of this.#wanted(ended)) tokens += this.#question.tokens[sample]!;
    return tokens;
  }

  /** Reads samples of the leaders and weighs all: an answer has its votes times the mean weight of what was read of it, or of all that was read. */
  read(ended: number): { readonly lead: number; readonly right: number } {
    const { answers, tokens, scores, right } = this.#question;
    for (const sample of this.#wanted(ended)) {
      const answer = answers[sample]!;
      this.tokens += tokens[sample]!;
      this.#given[answer]! += 1;
      if (Number.isNaN(scores[sample]!)) continue;
      this.#found[answer]! += 1;
      this.#sums[answer]! += weightOf(scores[sample]!, this.#trust, this.#constants);
    }
    const mean = sum(this.#sums) / sum(this.#found) || 1;
    const weights = this.#votes.slice();
    let squares = 0;
    for (let answer = 0; answer < weights.length; answer += 1) {
      const weight = this.#found[answer]! > 0 ? this.#sums[answer]! / this.#found[answer]! : mean;
      weights[answer] = this.#votes[answer]! * weight;
      squares += this.#votes[answer]! * weight * weight;
    }
    const leaders = leadersOf(weights, right);
    return { lead: (leaders.first - leaders.second) / Math.sqrt(squares), right: leaders.right };
  }

  /** Samples of the leaders that the judge does not know, of each answer the first ones. */
  #wanted(ended: number): number[] {
    const { order } = this.#course;
    const { answers } = this.#question;
    const leaders = this.#leaders(ended);
    const seen = this.#votes.map(() => 0);
    const wanted: number[] = [];
    for (let at = 0; at < ended; at += 1) {
      const answer = answers[order[at]!]!;
      if (!leaders.includes(answer)) continue;
      seen[answer]! += 1;
      if (seen[answer]! > this.#given[answer]! && seen[answer]! <= this.#constants.reads) wanted.push(order[at]!);
    }
    return wanted;
  }

  /** Answers with most votes, among equals the one that came first. */
  #leaders(ended: number): number[] {
    const { order } = this.#course;
    const came: number[] = [];
    this.#votes.fill(0);
    for (let at = 0; at < ended; at += 1) {
      const answer = this.#question.answers[order[at]!]!;
      if (answer < 0) continue;
      if (this.#votes[answer] === 0) came.push(answer);
      this.#votes[answer]! += 1;
    }
    return came.sort((a, b) => this.#votes[b]! - this.#votes[a]!).slice(0, this.#constants.contenders);
  }
}

function sum(values: readonly number[]): number {
  let all = 0;
  for (let at = 0; at < values.length; at += 1) all += values[at]!;
  return all;
}
