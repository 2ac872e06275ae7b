// `auto` as it ships (core: tree/readings/worth.ts), over recorded samples: votes without a judge while another sample is worth its price. If answers then
// disagree, the judge reads samples of the leading ones, then all, as long as their tokens are worth the price too. Answers are then weighted by the scores,
// and the same line decides whether to draw on. The glance at a leader without scores is left out: it changes no answer.

import { isSplit, weightOf, worthConstants, worthOf } from '@coppice/core/tree';
import { DrawnWaves, leadersOf, type VoteCourse, type VoteQuestion, type Waves } from './worth-course.ts';

export interface Stopped {
  readonly right: number;
  readonly spent: number;
  readonly waves: number;
  /** In tokens: the longest samples of its waves, one after the other. */
  readonly time: number;
  /** Tokens that its judge has read. */
  readonly read?: number;
  /** Of `auto`: how many samples it has drawn, and 1 for each of the question's that its judge has read. */
  readonly ended?: number;
  readonly isRead?: Uint8Array | undefined;
}

export interface AutoSettings {
  /** s of a weight odds^s; undefined without a judge. One of 0 is still read now and then, and weighs nothing. */
  readonly trust: number | undefined;
  /** Of a token that the judge reads, in generated ones. */
  readonly cost: number;
  readonly waves?: Waves | undefined;
  /** Tokens that a sample costs at the least. */
  readonly least?: number;
  /** No audit knows the judge: it reads all of a split vote at its end, unless the first reading fails. */
  readonly isNew?: boolean;
}

/** Applies the line to votes alone, without a judge. */
export function stopAuto(course: VoteCourse, price: number, settings: AutoSettings): Stopped {
  const { trust, cost } = settings;
  const { generated, votes } = course;
  const waves = settings.waves && new DrawnWaves(course);
  const most = generated.length;
  waves?.begin(settings.waves!.first(price, most));
  let judge: ReplayedJudge | undefined;
  for (let ended = 1; ; ended += 1) {
    const at = ended - 1;
    const drawn = waves?.generated(ended) ?? generated[at]!;
    if (waves !== undefined && settings.waves!.looks === 'after each' && ended < waves.begun) continue;
    judge?.read(ended);
    let lead = (votes.first[at]! - votes.second[at]!) / Math.sqrt(ended);
    const costs = settings.least === undefined ? drawn : Math.max(drawn, costOf(course, ended, settings.least));
    let [right, spent] = [votes.right[at]!, costs];
    for (;;) {
      if (judge !== undefined && judge.depth > 0) {
        ({ lead, right } = judge.standing);
        spent = costs + cost * judge.tokens;
      }
      const isOver = ended === most || worthOf({ lead, spent }) < price;
      if (trust !== undefined && votes.second[at]! > 0 && (isOver || reading * trust >= cost)) {
        judge ??= new ReplayedJudge(course, trust);
        const unread = cost * judge.unread(ended);
        if (unread > 0 && worthOf({ lead, spent: unread }, trust) >= price) {
          judge.depth += 1;
          judge.read(ended);
          continue;
        }
      }
      if (!isOver) break;
      if (settings.isNew && trust !== undefined && votes.second[at]! > 0) {
        judge ??= new ReplayedJudge(course, trust);
        judge.audit(ended);
      }
      const spentInAll = drawn + cost * (judge?.paid ?? 0);
      return {
        right,
        spent: spentInAll,
        waves: waves?.count ?? ended,
        time: waves?.time ?? drawn,
        read: judge?.paid ?? 0,
        ended,
        isRead: judge?.isRead,
      };
    }
    if (ended === waves?.begun) waves.begin(settings.waves!.next({ samples: ended, lead, spent }, price, most));
  }
}

function costOf({ order, question }: VoteCourse, ended: number, least: number): number {
  return order.slice(0, ended).reduce((all, sample) => all + Math.max(least, question.tokens[sample]!), 0);
}

const deepest = 2;
const { contenders, reads, reading } = worthConstants;

/** What a judge has read of one course. */
class ReplayedJudge {
  /** How much it reads: nothing, samples of the leading answers, or all. */
  depth = 0;
  /** Tokens of what counts at that depth, those of failed readings too; and of all that was ever read. */
  tokens = 0;
  paid = 0;
  standing = { lead: 0, right: 0 };
  readonly #course: VoteCourse;
  readonly #question: VoteQuestion;
  readonly #trust: number;
  readonly isRead: Uint8Array;
  readonly #votes: number[];

  constructor(course: VoteCourse, trust: number) {
    this.#course = course;
    this.#question = course.question;
    this.#trust = trust;
    this.isRead = new Uint8Array(course.order.length);
    this.#votes = Array.from(course.question.right, () => 0);
  }

  /** Tokens that the next depth would add; 0 where there is none. */
  unread(ended: number): number {
    if (this.depth === deepest) return 0;
    let tokens = -this.tokens;
    for (const sample of this.#readable(ended, this.depth + 1)) tokens += this.#question.tokens[sample]!;
    return tokens;
  }

  /** Reads all of a vote that is split, for the audit alone: first one of the leading answer, and no more if that fails. */
  audit(ended: number): void {
    const { answers, scores } = this.#question;
    const [first, second] = this.#leaders(ended);
    const [most, next] = [first, second].map((each) => (each === undefined ? 0 : this.#votes[each]!));
    if (most === next || !isSplit(most! / ended)) return;
    const leaders = this.#course.order.slice(0, ended).filter((sample) => answers[sample] === first);
    const seen = leaders.filter((sample) => this.isRead[sample] === 1);
    if (seen.length === 0) this.#pay(leaders[0]!);
    if (![...seen, leaders[0]!].some((sample) => this.isRead[sample] === 1 && !Number.isNaN(scores[sample]!))) return;
    for (const sample of this.#readable(ended, deepest)) this.#pay(sample);
  }

  #pay(sample: number): void {
    if (this.isRead[sample] === 0) this.paid += this.#question.tokens[sample]!;
    this.isRead[sample] = 1;
  }

  /** Reads what its depth asks for and weighs all: an answer has its votes times the mean weight of what was read of it, or of all that was read. */
  read(ended: number): void {
    if (this.depth === 0) return;
    const { answers, tokens, scores, right } = this.#question;
    const found = this.#votes.map(() => 0);
    const sums = found.slice();
    this.tokens = 0;
    for (const sample of this.#readable(ended, this.depth)) {
      this.tokens += tokens[sample]!;
      this.#pay(sample);
      if (Number.isNaN(scores[sample]!)) continue;
      found[answers[sample]!]! += 1;
      sums[answers[sample]!]! += weightOf(scores[sample]!, this.#trust);
    }
    const mean = sum(sums) / sum(found) || 1;
    const weights = this.#votes.slice();
    let squares = 0;
    for (let answer = 0; answer < weights.length; answer += 1) {
      const weight = found[answer]! > 0 ? sums[answer]! / found[answer]! : mean;
      weights[answer] = this.#votes[answer]! * weight;
      squares += this.#votes[answer]! * weight * weight;
    }
    const leaders = leadersOf(weights, right);
    this.standing = { lead: (leaders.first - leaders.second) / Math.sqrt(squares), right: leaders.right };
  }

  /** The first samples of each leading answer; all that answer anything at the last depth. */
  #readable(ended: number, depth: number): number[] {
    const { order } = this.#course;
    const { answers } = this.#question;
    const leaders = this.#leaders(ended);
    if (depth === 1) leaders.length = Math.min(leaders.length, contenders);
    const most = depth === 1 ? reads : ended;
    const seen = this.#votes.map(() => 0);
    const found: number[] = [];
    for (let at = 0; at < ended; at += 1) {
      const answer = answers[order[at]!]!;
      if (!leaders.includes(answer)) continue;
      seen[answer]! += 1;
      if (seen[answer]! <= most) found.push(order[at]!);
    }
    return found;
  }

  /** Answers by votes, among equals the one that came first. */
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
    return came.sort((a, b) => this.#votes[b]! - this.#votes[a]!);
  }
}

function sum(values: readonly number[]): number {
  let all = 0;
  for (let at = 0; at < values.length; at += 1) all += values[at]!;
  return all;
}
