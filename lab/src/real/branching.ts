// The worth of a draw below a prefix against a fresh one, from continuations of recorded samples (training/real/continuations.py). ρ is the correlation
// of rightness among continuations of one prefix, beyond the effect of the question. Intervals are by the bootstrap over questions.

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { mean, Random } from '@coppice/core/base';
import { JudgeAudits } from '@coppice/core/log';
import { auditBranches } from '@coppice/core/tree';
import { percentile } from '../statistics.ts';
import { shuffled } from './worth-course.ts';

/** Answer (-1 for none), right or not, tokens drawn for it. */
export type DrawnEnd = readonly [answer: number, right: number, tokens: number];

export interface ContinuedPrefix {
  readonly parent: number;
  readonly tokens: number;
  readonly odds: number;
  readonly ends: readonly DrawnEnd[];
}

export interface ContinuedQuestion {
  readonly set: string;
  readonly samples: readonly DrawnEnd[];
  readonly prefixes: readonly ContinuedPrefix[];
}

/** Prefixes below this share of their path are taken for a quarter of it, others for half. */
const early = 0.375;
export const places = { quarter: [0, early], half: [early, 1] } as const;

export function continuedIn(file: string): ContinuedQuestion[] {
  type Packed = Omit<ContinuedQuestion, 'prefixes'> & { readonly prefixes: [number, number, number, DrawnEnd[]][] };
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  return lines.map((line) => {
    const { prefixes, ...question } = JSON.parse(line) as Packed;
    return { ...question, prefixes: prefixes.map(([parent, tokens, odds, ends]) => ({ parent, tokens, odds, ends })) };
  });
}

/** The questions with a prefix from each of `parents` samples at this place, reduced to those prefixes. */
export function continuedAt(all: readonly ContinuedQuestion[], place: keyof typeof places, parents = 3) {
  const [low, high] = places[place];
  const kept = all.map((question) => {
    const inside = question.prefixes.filter((prefix) => {
      const share = prefix.tokens / question.samples[prefix.parent]![2];
      return share >= low && share < high;
    });
    return { ...question, prefixes: [...new Map(inside.map((prefix) => [prefix.parent, prefix])).values()] };
  });
  return kept.filter(({ prefixes }) => prefixes.length === parents);
}

export interface BranchingFigures {
  readonly share: number;
  readonly rho: number;
  readonly fresh: number;
  readonly below: number;
  readonly bestScored: number;
  readonly bestDrawn: number;
  readonly auc: number;
  /** (1 - ρ) · right below the best scored / right of a fresh one / tokens of a continuation over those of a sample. */
  readonly worth: number;
  /** The same as coppice finds it out while it serves: by the vote of other samples, without labels; NaN if they are too few. */
  readonly byVote: number;
  /** Points of a vote of three samples, so many continuations below the best scored prefix and as many fresh ones, over as many tokens of fresh ones. */
  readonly gains: readonly number[];
}

export const continuations = [1, 2, 3] as const;
const rightOf = (ends: readonly DrawnEnd[]) => mean(ends.map(([, right]) => right));

/** As a search that branches would show it, with all samples that were not cut as later ones. */
function auditedBy({ samples, prefixes }: ContinuedQuestion, judgeCost: number) {
  const best = prefixes.reduce((one, other) => (other.odds > one.odds ? other : one));
  const parents = prefixes.map(({ parent }) => samples[parent]!);
  const told = (ends: readonly DrawnEnd[]) =>
    ends.map(([answer, , tokens]) => ({ meaning: answer < 0 ? undefined : String(answer), tokens }));
  const others = parents.filter((sample) => sample !== samples[best.parent]);
  const later = samples.filter((sample) => !parents.includes(sample));
  const read = judgeCost * prefixes.reduce((sum, { tokens }) => sum + tokens, 0);
  const branched = auditBranches(told(others), told(later), told(best.ends), read);
  return branched && { owner: 'lab', audit: { pairs: 0, right: 0, agreed: [], differed: [], branched } };
}

/** What one question adds to each sum. */
function termsOf(question: ContinuedQuestion, gains: readonly number[], judgeCost: number) {
  const { samples, prefixes } = question;
  const ends = prefixes.map((prefix) => prefix.ends);
  const best = prefixes.reduce((one, other) => (other.odds > one.odds ? other : one));
  const pairs = (left: readonly DrawnEnd[], right: readonly DrawnEnd[]) =>
    mean(left.flatMap((one) => right.filter((other) => other !== one).map((other) => one[1] * other[1])));
  const others = ends.flatMap((one, at) => ends.slice(at + 1).map((other) => pairs(one, other)));
  const [won, of] = ordered(prefixes);
  return {
    share: mean(prefixes.map(({ parent, tokens }) => tokens / samples[parent]![2])),
    together: mean(ends.map((each) => pairs(each, each))),
    apart: mean(others),
    fresh: rightOf(samples),
    below: mean(ends.map(rightOf)),
    bestScored: rightOf(best.ends),
    bestDrawn: bestByOthers(ends),
    won,
    of,
    gains,
    audit: auditedBy(question, judgeCost),
  };
}

/** Pairs of a right and a wrong continuation of different prefixes, and those in which the right one's prefix has the better score. */
function ordered(prefixes: readonly ContinuedPrefix[]): [won: number, of: number] {
  let [won, of] = [0, 0];
  for (const high of prefixes)
    for (const low of prefixes) {
      if (high === low) continue;
      const pairs = rightOf(high.ends) * (1 - rightOf(low.ends));
      of += pairs;
      won += (pairs * (1 + Math.sign(high.odds - low.odds))) / 2;
    }
  return [won, of];
}

/** Each draw in turn is what the others choose for; ties at random. */
function bestByOthers(ends: readonly (readonly DrawnEnd[])[]): number {
  return mean(
    ends[0]!.map((_, held) => {
      const known = ends.map((each) => rightOf(each.filter((_end, at) => at !== held)));
      const most = Math.max(...known);
      return mean(ends.filter((_each, at) => known[at] === most).map((each) => each[held % each.length]![1]));
    }),
  );
}

/** Share of right answers among the leading ones. */
export function votedRight(ends: readonly DrawnEnd[]): number {
  const groups = [...Map.groupBy(ends, ([answer]) => answer)].filter(([answer]) => answer >= 0);
  const most = Math.max(0, ...groups.map(([, group]) => group.length));
  const leading = groups.filter(([, group]) => group.length === most).map(([, group]) => rightOf(group));
  return leading.length === 0 ? 0 : mean(leading);
}

/** Mean over random choices of what is added to the three samples that were cut: so many continuations and fresh samples, or fresh ones alone. */
function gainOf({ samples, prefixes }: ContinuedQuestion, count: number, instead: number, random: Random): number {
  const parents = prefixes.map(({ parent }) => samples[parent]!);
  const rest = samples.filter((sample) => !parents.includes(sample));
  const best = prefixes.reduce((one, other) => (other.odds > one.odds ? other : one));
  const some = (all: readonly DrawnEnd[], most: number) =>
    shuffled(all.length, random)
      .slice(0, most)
      .map((at) => all[at]!);
  const gains = Array.from({ length: orders }, () => {
    const fresh = shuffled(rest.length, random).map((at) => rest[at]!);
    const alone = fresh.slice(0, count + Math.floor(instead + random.uniform()));
    return (
      votedRight([...parents, ...some(best.ends, count), ...fresh.slice(0, count)]) - votedRight([...parents, ...alone])
    );
  });
  return mean(gains);
}

const [orders, resamples] = [40, 1000];

/** Figures over all questions, with 95 % intervals. `judgeCost`: cost of a prefix token that the judge reads, in generated tokens. */
export function branchingOf(questions: readonly ContinuedQuestion[], judgeCost: number, seed: number) {
  const drawn = mean(questions.flatMap(({ prefixes }) => prefixes.flatMap(({ ends }) => ends.map(([, , own]) => own))));
  const whole = mean(questions.flatMap(({ samples }) => samples.map(([, , tokens]) => tokens)));
  const read = mean(questions.map(({ prefixes }) => prefixes.reduce((sum, { tokens }) => sum + tokens, 0)));
  const terms = questions.map((question, at) => {
    const random = new Random('branching', seed, at);
    const instead = (count: number) => (count * drawn + judgeCost * read) / whole;
    const gains = continuations.map((count) => gainOf(question, count, instead(count), random));
    return termsOf(question, gains, judgeCost);
  });
  const random = new Random('resamples', seed);
  const resampled = () => terms.map(() => terms[random.integer(terms.length)]!);
  const again = Array.from({ length: resamples }, () => summed(resampled(), drawn / whole));
  const interval = (figure: (each: BranchingFigures) => number): [number, number] => {
    const all = again.map(figure);
    return [percentile(all, 2.5), percentile(all, 97.5)];
  };
  return { found: summed(terms, drawn / whole), interval };
}

function summed(terms: readonly ReturnType<typeof termsOf>[], cost: number): BranchingFigures {
  const of = (term: Exclude<keyof (typeof terms)[number], 'gains' | 'audit'>) => mean(terms.map((each) => each[term]));
  const rho = (of('together') - of('apart')) / (of('below') - of('apart'));
  const worth = ((1 - rho) * of('bestScored')) / of('fresh') / cost;
  const gains = continuations.map((_, at) => mean(terms.map((each) => each.gains[at]!)));
  const plain = { share: of('share'), fresh: of('fresh'), below: of('below'), bestScored: of('bestScored') };
  const { branching } = new JudgeAudits(terms.flatMap(({ audit }) => audit ?? [])).judge;
  const byVote = branching?.worth ?? Number.NaN;
  return { ...plain, rho, bestDrawn: of('bestDrawn'), auc: of('won') / of('of'), worth, byVote, gains };
}
