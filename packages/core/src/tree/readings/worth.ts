// The worth of going on, in one line: e^(-b · lead) / tokens spent. A search that votes draws another sample while that is at least its
// price; what is left open then, the judge reads where reading is worth it. Read off whole waves of samples in their own order, so that who
// was faster changes nothing. Pure.

import { meaningOf } from '../../answer/groups.ts';
import { mean } from '../../base/arithmetic.ts';
import type { Judging, Terms } from '../events.ts';
import { hasEnded, type Node } from '../node.ts';
import type { Tree } from '../tree.ts';
import { drawsOf, type SampleDraw, scoreOf, unreadBeginnings, wasRead } from './branching.ts';

/** Found on recorded samples of several sets of questions (lab/docs/experiments/real-models.md); whoever changes one measures all of them again. */
export const worthConstants = {
  /** b: growth of the leader's log odds with its lead. */
  slope: 1.4,
  /** Samples of the first wave before any length is known; times as many come at once in a hurry, and where few waves fit besides. */
  firstWave: 2,
  hurry: 2,
  lateHurry: 3,
  /** Part of the samples that are expected to be needed which the next wave draws; all of them where time is short. */
  wave: 0.5,
  /** Worth of reading what was drawn, in that of drawing as many tokens, for a judge of trust 1; and the least trust that counts here, so that one in disgrace is still seen. */
  reading: 1.5,
  leastTrust: 0.1,
  /** Tokens that a turn of an agent costs at the least: short ones read a long conversation (`lab -- turns`, functions to tune on). */
  turn: 800,
  /** s of a judge that nothing is known of; a shipped one earned 0.27 to 0.84 on four sets of questions. */
  usualTrust: 0.3,
  /** Leading answers of which the judge reads samples first, and how many of each; then all samples, where that is worth it too. */
  contenders: 3,
  reads: 4,
  /** The leading answer is read once, for its confidence, where that costs at most this part of what was spent. */
  glance: 0.1,
  /** Scores count as odds; one that is sure of itself must not outvote all others. */
  leastScore: 0.01,
} as const;

const { firstWave, hurry, lateHurry, wave, reading, leastTrust, contenders, reads, glance, leastScore } =
  worthConstants;

/** A vote after its first so many samples. */
export interface SampleStanding {
  readonly samples: number;
  /** The leader's weight less the second's, over the root of the sum of all squared weights: votes over √samples without a judge. */
  readonly lead: number;
  /** Tokens drawn, and those that the judge has read at their cost. */
  readonly spent: number;
}

/** The next work of a search: it draws up to `wanted` samples in all, has `unread` read, or is over. */
export interface SampleCourse {
  readonly standing: SampleStanding;
  readonly wanted: number;
  readonly unread: readonly Node[];
  readonly isOver: boolean;
  /** How much of what the judge has read counts: it reads a split vote for its audit too. */
  readonly depth: number;
  /** Nothing that was drawn means anything: the next draw is told so. */
  readonly repairs?: boolean;
}

/** Worth of another draw per token; with `trust`, worth of having the judge read what costs `spent`. */
export function worthOf({ lead, spent }: Pick<SampleStanding, 'lead' | 'spent'>, trust?: number): number {
  const gain = trust === undefined ? 1 : reading * Math.max(leastTrust, trust);
  return (gain * Math.exp(-worthConstants.slope * lead)) / spent;
}

/** Shares of the majority between which a question says how far a judge agrees with it. */
export function isSplit(share: number): boolean {
  return share >= 0.5 && share <= 0.95;
}

/** odds^s: what a sample of this score weighs. */
export function weightOf(score: number, trust: number): number {
  const held = Math.min(1 - leastScore, Math.max(leastScore, score));
  return (held / (1 - held)) ** trust;
}

/** The smallest number of samples at which the rule would stop if shares stayed as they are, `most` at most. */
export function expectedNeed({ samples, lead, spent }: SampleStanding, price: number, most: number): number {
  for (let need = samples; need < most; need += 1) {
    const growth = need / samples;
    if (worthOf({ lead: lead * Math.sqrt(growth), spent: spent * growth }) < price) return need;
  }
  return most;
}

/** The fewest samples after which the rule can stop: all that are not known yet vote for the leader. To draw them at once loses nothing. */
export function leastNeed(
  { samples, lead, spent }: SampleStanding,
  price: number,
  most: number,
  usual = spent / samples,
): number {
  for (let need = Math.max(1, samples); need < most; need += 1) {
    const more = need - samples;
    const best = (lead * Math.sqrt(samples) + more) / Math.sqrt(need);
    if (worthOf({ lead: best, spent: spent + more * usual }) < price) return need;
  }
  return most;
}

const nothing: SampleStanding = { samples: 0, lead: 0, spent: 0 };

/** Samples that could settle a question: one if no second could be worth its price, more in a hurry. */
export function firstWaveOf({ price, usual, hurried, late }: Omit<Terms, 'judge'>, most: number): number {
  const least = usual === undefined ? firstWave : leastNeed(nothing, price, most, usual);
  return Math.min(most, least * (hurried ? (late ? lateHurry : hurry) : 1));
}

/** Depth at which the judge reads all samples. */
const deepest = 2;

const courses = new WeakMap<Tree, { readonly told: number; readonly most: number; readonly course: SampleCourse }>();

/** Read by the program, its exit and the scheduler after each event: it is worked out once. */
export function courseOf(tree: Tree, most: number): SampleCourse {
  const known = courses.get(tree);
  if (known?.told === tree.told && known.most === most) return known.course;
  const course = followed(tree, most);
  courses.set(tree, { told: tree.told, most, course });
  return course;
}

/** Looks after each wave: what was drawn is paid for. Within one it begins those samples that the next one draws whatever the open ones say. Without terms all are wanted. */
function followed(tree: Tree, most: number): SampleCourse {
  const { terms } = tree;
  const vote = new SampleVote(terms?.judge, terms?.least);
  if (readsAll(terms)) vote.depth = deepest;
  const course = (wanted: number, more?: Partial<SampleCourse>): SampleCourse => {
    return { standing: vote.standing, wanted, unread: [], isOver: false, depth: vote.depth, ...more };
  };
  if (terms === undefined) return course(most);
  let wanted = terms.branches ?? firstWaveOf(terms, most);
  for (const { end, shared } of countedDraws(tree)) {
    vote.add(end, shared);
    if (vote.samples < wanted) continue;
    if (terms.least !== undefined && vote.ranked.length === 0 && !hasRepair(tree))
      return course(wanted, { repairs: true });
    const { unread, isWorth } = weighed(vote, terms.price, wanted >= most);
    if (unread.length > 0 || !isWorth) return course(wanted, { unread, isOver: unread.length === 0 });
    const begun = vote.samples === terms.branches ? unreadBeginnings(tree) : [];
    if (begun.length > 0) return course(wanted, { unread: begun });
    wanted = Math.max(wanted, nextWave(vote.standing, terms, most));
  }
  if (vote.samples < (terms.branches ?? 0)) return course(wanted);
  const known = new SampleVote(undefined, terms.least);
  for (const end of allEnds(tree)) known.add(end);
  if (known.samples > 0) wanted = Math.max(wanted, leastNeed(known.standing, terms.price, most));
  const come = readsAll(terms) ? known.readable(deepest) : [];
  return course(wanted, { unread: come.filter((each) => !wasRead(each)) });
}

/** Reading costs tokens and next to no time: where that is short, all that a trusted judge can read. */
function readsAll({ late, judge }: Partial<Terms> = {}): boolean {
  return late === true && judge !== undefined && judge.trust > 0;
}

function hasRepair({ root }: Tree): boolean {
  return root.children.some(({ step }) => step?.turn !== undefined);
}

/** Has the judge read as much as is worth it. What is left unread comes first; another wave is drawn only if it is still worth it then. */
function weighed(vote: SampleVote, price: number, isLast: boolean) {
  for (;;) {
    const unread = vote.readable(vote.depth).filter((each) => !wasRead(each));
    const isWorth = !isLast && worthOf(vote.standing) >= price;
    if (unread.length > 0 || (isWorth && !vote.readsFirst)) return { unread, isWorth };
    if (!vote.paysReading(price)) return { unread: isWorth ? [] : vote.glances(), isWorth };
    vote.depth += 1;
  }
}

/** Samples in all after the next wave. */
export function nextWave(
  standing: SampleStanding,
  { price, hurried, late }: Omit<Terms, 'judge'>,
  most: number,
): number {
  const { samples } = standing;
  const missing = expectedNeed(standing, price, most) - samples;
  const part = samples + Math.max(1, Math.ceil(missing * (hurried || late ? 1 : wave)));
  return Math.min(most, Math.max(part, leastNeed(standing, price, most)));
}

/**
 * The samples that count, in their own order. Behind one that failed in the middle none would ever count: then all that have ended do,
 * as soon as none is open.
 */
function countedDraws(tree: Tree): readonly SampleDraw[] {
  const draws = drawsOf(tree);
  const { completed, pruned } = tree.closed;
  const isOpen = [...tree.strands.values()].some(({ node }) => !node.terminal);
  return isOpen || draws.length >= completed + pruned ? draws : allEnds(tree).map((end) => ({ end, shared: 0 }));
}

/** Every end, as often as it was drawn, in the order in which they came. */
export function allEnds({ nodes }: Tree): readonly Node[] {
  return nodes.filter((node) => node.pruned || hasEnded(node)).flatMap((node) => Array<Node>(node.count).fill(node));
}

/** Samples that mean the same. */
interface VotedAnswer {
  readonly ends: Node[];
  weight: number;
}

/** Samples that vote. Where they are judged, an answer weighs its votes times the mean odds^s of those of its samples that were read. */
export class SampleVote {
  readonly #judge: Judging | undefined;
  readonly #least: number;
  readonly #answers = new Map<string, VotedAnswer>();
  #drawn = 0;
  samples = 0;
  /** How much the judge reads: nothing, samples of the leading answers, or all of them. */
  depth = 0;

  constructor(judge: Judging | undefined, least = 0) {
    this.#judge = judge;
    this.#least = least;
  }

  /** `shared`: tokens of it that another sample has drawn. */
  add(end: Node, shared = 0): void {
    this.samples += 1;
    this.#drawn += Math.max(end.pathTokens - shared, this.#least);
    const meaning = hasEnded(end) ? meaningOf(end) : undefined;
    if (meaning === undefined) return;
    const answer = this.#answers.get(meaning) ?? { ends: [], weight: 0 };
    this.#answers.set(meaning, answer);
    answer.ends.push(end);
  }

  get standing(): SampleStanding {
    const [first, second] = this.ranked;
    const all = [...this.#answers.values()];
    const squares = all.reduce((sum, { ends, weight }) => sum + weight ** 2 / ends.length, 0);
    const spread = Math.sqrt(this.depth > 0 ? squares : this.samples);
    const lead = first === undefined ? 0 : (first.weight - (second?.weight ?? 0)) / spread;
    return { samples: this.samples, lead, spent: this.#drawn + this.#costOf(this.readable(this.depth)) };
  }

  /** Heaviest first, of equals the one that was found first. */
  get ranked(): readonly VotedAnswer[] {
    const all = [...this.#answers.values()];
    const read = new Set(this.readable(this.depth));
    const odds = all.map(({ ends }) => ends.filter((end) => read.has(end)).flatMap((end) => this.#oddsOf(end)));
    const usual = odds.some((each) => each.length > 0) ? mean(odds.flat()) : 1;
    all.forEach((answer, at) => {
      answer.weight = answer.ends.length * (odds[at]!.length > 0 ? mean(odds[at]!) : usual);
    });
    return all.sort((a, b) => b.weight - a.weight);
  }

  #oddsOf(end: Node): number[] {
    const score = scoreOf(end);
    return score === undefined || this.#judge === undefined ? [] : [weightOf(score, this.#judge.trust)];
  }

  /** The samples that the judge reads at a depth. */
  readable(depth: number): readonly Node[] {
    if (depth === 0) return [];
    const byVotes = [...this.#answers.values()].sort((a, b) => b.ends.length - a.ends.length);
    const [answers, each] = depth === 1 ? [contenders, reads] : [byVotes.length, this.samples];
    return [...new Set(byVotes.slice(0, answers).flatMap(({ ends }) => ends.slice(0, each)))];
  }

  /** True where reading a sample is worth more than drawing as many tokens: answers that disagree are then read before more are drawn. */
  get readsFirst(): boolean {
    return this.#judge !== undefined && reading * this.#judge.trust >= this.#judge.cost;
  }

  /** True where answers disagree and what the judge would read at the next depth is worth its cost. */
  paysReading(price: number): boolean {
    const { trust } = this.#judge ?? {};
    if (trust === undefined || this.#answers.size < 2 || this.depth >= deepest) return false;
    const known = new Set(this.readable(this.depth));
    const spent = this.#costOf(this.readable(this.depth + 1).filter((end) => !known.has(end)));
    return spent > 0 && worthOf({ lead: this.standing.lead, spent }, trust) >= price;
  }

  /** What changes no answer: the leading one is read once, where that is cheap. Of a split vote a new judge reads that and then, unless it fails, all. */
  glances(): readonly Node[] {
    const [first, second] = this.ranked;
    if (this.#judge === undefined || first === undefined) return [];
    const leads = first.ends.length > (second?.ends.length ?? 0);
    const isAudited = this.#judge.isNew === true && leads && isSplit(first.ends.length / this.samples);
    if (first.ends.some(wasRead)) {
      const isAnswered = first.ends.some((end) => scoreOf(end) !== undefined);
      return isAudited && isAnswered ? this.readable(deepest).filter((end) => !wasRead(end)) : [];
    }
    const leader = first.ends.slice(0, 1);
    return isAudited || this.#costOf(leader) <= glance * this.standing.spent ? leader : [];
  }

  #costOf(ends: readonly Node[]): number {
    const tokens = [...new Set(ends)].reduce((sum, { pathTokens }) => sum + pathTokens, 0);
    return tokens * (this.#judge?.cost ?? 0);
  }
}
