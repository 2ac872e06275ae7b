// Judges, and how far `auto` trusts them: s found without labels against fixed values, and lying judges against a plain vote at equal tokens.

import { Random } from '@coppice/core/base';
import { worthConstants } from '@coppice/core/tree';
import { auditOf, type JudgeAudit, majorityOf } from './worth-audit.ts';
import type { VoteQuestion } from './worth-course.ts';
import {
  aheadInMean,
  curvesOf,
  type ReplayedCurves,
  sameAccuracy,
  tokensOf,
  usualOf,
  type WorthInterval,
  worstGap,
} from './worth-curves.ts';
import { type Arm, allArms, autoArm, replayArms } from './worth-replay.ts';
import { budgetsTo, points, ratio } from './worth-table.ts';

export interface JudgeReplay {
  readonly questions: readonly VoteQuestion[];
  readonly most: number;
  readonly cost: number;
  readonly orders: number;
  readonly seed: number;
}

/** The value of s that `auto` would use. */
export function trustOf({ trust = worthConstants.usualTrust }: JudgeAudit): number {
  return trust;
}

export interface TrustRow {
  readonly name: string;
  readonly trust: number;
  readonly sameAccuracy: WorthInterval;
  /** Points ahead of the best fixed one, in the mean of all budgets. */
  readonly ahead: WorthInterval;
}

const fixedTrusts = [0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9, 1];

export function trustRows(replay: JudgeReplay): { readonly audit: JudgeAudit; readonly rows: readonly TrustRow[] } {
  const audit = auditOf(replay.questions);
  const found = trustOf(audit);
  const named = [
    ...fixedTrusts.map((trust) => [`fixed ${trust}`, trust] as const),
    ['audited: the slope squared', found] as const,
    ['the slope', Math.sqrt(found)] as const,
  ];
  const all = replayed(
    replay,
    named.map(([name, trust]) => autoArm(name, { trust, cost: replay.cost })),
  );
  const means = fixedTrusts.map((trust) => aheadInMean(all, `fixed ${trust}`, 'vote').value);
  const best = `fixed ${fixedTrusts[means.indexOf(Math.max(...means))]}`;
  const rows = named.map(([name, trust]) => {
    return { name, trust, sameAccuracy: sameAccuracy(all, name), ahead: aheadInMean(all, name, best) };
  });
  return { audit, rows };
}

function replayed({ questions, most, cost, orders, seed }: JudgeReplay, arms: readonly Arm[]): ReplayedCurves {
  const rivals = allArms(most, { trust: undefined, cost }, usualOf(questions)).filter(
    ({ variantOf, name }) => !variantOf && name !== 'auto',
  );
  const found = replayArms(questions, [...rivals, ...arms], orders, (at) => new Random('orders', seed, at));
  const budgets = budgetsTo(Math.ceil(most * (1 + cost)));
  return curvesOf(tokensOf(questions), most, found, budgets, new Random('resamples', seed));
}

type Lie = (question: VoteQuestion, random: Random) => Float64Array;

/** Scores of judges that say nothing of an answer. */
function liesOf(questions: readonly VoteQuestion[]): Record<string, Lie> {
  const lengths = questions.flatMap(({ tokens }) => [...tokens]).toSorted((a, b) => a - b);
  const rank = (tokens: number) => lengths.findIndex((each) => each >= tokens) / lengths.length;
  return {
    honest: ({ scores }) => scores,
    constant: ({ scores }) => scores.map(() => 0.5),
    inverted: ({ scores }) => scores.map((score) => 1 - score),
    random: ({ scores }, random) => scores.map(() => random.uniform()),
    'fails always': ({ scores }) => scores.map(() => Number.NaN),
    'fails half': ({ scores }, random) => scores.map((score) => (random.chance(0.5) ? Number.NaN : score)),
    'likes long': ({ tokens }) => tokens.map(rank),
    'likes the majority': (question) => {
      const leader = majorityOf(question);
      return question.scores.map((_, at) => (question.answers[at] === leader ? 0.9 : 0.1));
    },
  };
}

export interface LieRow {
  readonly judge: string;
  /** s of `auto`: as audited, and while nothing is known. */
  readonly trust: number;
  readonly how: 'audited' | 'unknown';
  readonly agreed: number;
  /** Behind a plain vote, and behind the line without a judge: the most at any budget. */
  readonly vote: WorthInterval;
  readonly blind: WorthInterval;
}

/** The same questions as each judge scores them. */
export function lyingQuestions({
  questions,
  seed,
}: Pick<JudgeReplay, 'questions' | 'seed'>): Record<string, VoteQuestion[]> {
  const judged = (lie: Lie) =>
    questions.map((question, at) => ({ ...question, scores: lie(question, new Random('lies', seed, at)) }));
  return Object.fromEntries(Object.entries(liesOf(questions)).map(([judge, lie]) => [judge, judged(lie)]));
}

export function lieRows(replay: JudgeReplay): LieRow[] {
  return Object.entries(lyingQuestions(replay)).flatMap(([judge, questions]) => {
    const audit = auditOf(questions);
    const trusts = { audited: trustOf(audit), unknown: worthConstants.usualTrust } as const;
    const arms = Object.entries(trusts).map(([how, trust]) => autoArm(how, { trust, cost: replay.cost }));
    const all = replayed({ ...replay, questions }, arms);
    return (['audited', 'unknown'] as const).map((how) => ({
      judge,
      trust: trusts[how],
      how,
      agreed: audit.agreed,
      vote: worstGap(all, how, ['vote'])!,
      blind: worstGap(all, how, ['blind'])!,
    }));
  });
}

export function trustLines({ audit, rows }: ReturnType<typeof trustRows>): string[] {
  const { split, agreed, labelled } = audit;
  return [
    `${split} split questions; AUC within a question ${agreed.toFixed(3)} by agreement, ${labelled.toFixed(3)} by labels`,
    `${'s'.padEnd(28)}        as good as all     ahead of the best fixed`,
    ...rows.map(({ name, trust, sameAccuracy: same, ahead }) => {
      return `${name.padEnd(28)}${trust.toFixed(2).padStart(6)}  ${ratio(same).padEnd(19)}${points(ahead)}`;
    }),
  ];
}

export function lieLines(rows: readonly LieRow[]): string[] {
  return [
    `${'judge'.padEnd(20)}s                 AUC    most behind a vote    … the line without a judge`,
    ...rows.map(({ judge, trust, how, agreed, vote, blind }) => {
      const said = `${trust.toFixed(2)} ${how}`;
      return `${judge.padEnd(20)}${said.padEnd(18)}${agreed.toFixed(2).padEnd(7)}${points(vote).padEnd(22)}${points(blind)}`;
    }),
  ];
}
