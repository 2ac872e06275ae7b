// Sums up what finished searches say of their judge (tree/readings/audit.ts): how often it agrees with the vote, and how much its scores
// may weigh in one. A key that feeds lies misleads itself alone. The same rows in the same order give the same, on every node. Pure.

import { logisticLine } from '../base/arithmetic.ts';
import { type Audit, auditBins, binOdds } from '../tree/readings/audit.ts';
import { type BranchWorth, branchSentence, branchWorth } from './branch-worth.ts';

/** A finished search: the key that it was asked with, and its audit where it has one. */
export interface AuditRow {
  readonly owner: string;
  readonly audit?: Audit | undefined;
}

export interface AuditedJudge {
  /** Split questions among the latest searches. */
  readonly questions: number;
  /** Share of pairs in which it agrees with the vote: its AUC within a question; undefined while too few are known. */
  readonly agreement?: number;
  /** s of a weight odds^s; undefined while too few are known. */
  readonly trust?: number;
  /** Where it chose beginnings; a key knows its own searches alone. */
  readonly branching?: BranchWorth | undefined;
}

/** Searches after which one counts half. */
const halfLife = 2000;
const latest = 2 * halfLife;
/** Nothing is said below so many split questions among the latest: a judge that is not used is tried again after a while. */
export const leastQuestions = 50;
/** From so many on, a judge that differs from the vote more often than not weighs nothing. */
const suspectQuestions = 10;
/** Most of the weight that a key has for others. */
const mostOfKey = 0.2;
/** Less is as good as none, and would only be noise. */
const leastTrust = 0.05;

const sums = ['questions', 'weight', 'praise', 'pairs', 'right'] as const;

/**
 * Sums over split questions, each once, however many samples it took, and less with its age: `questions` of those among the latest searches;
 * `praise`, by how much the judge agrees with the vote more often than not.
 */
interface Seen extends Readonly<Record<(typeof sums)[number], number>> {
  readonly agreed: readonly number[];
  readonly differed: readonly number[];
}

/** A judge as each key knows it: by its own searches, and by those of any other as far as they are a fifth of what counts. */
export class JudgeAudits {
  /** From the one that blames it most to the one that praises it most. */
  readonly #keys: readonly (Seen & { readonly owner: string })[];
  readonly #branched: ReadonlyMap<string, BranchWorth>;
  readonly #told = new Map<string | undefined, AuditedJudge>();

  /** `rows`: of one model and its weights, newest first. */
  constructor(rows: Iterable<AuditRow>, name?: string) {
    const all = [...rows];
    const branched = all.filter(({ audit }) => audit?.branched && audit.judge === name);
    const worth = (own: readonly AuditRow[]) => branchWorth(own.map(({ audit }) => audit!.branched!));
    this.#branched = new Map([...Map.groupBy(branched, ({ owner }) => owner)].map(([key, own]) => [key, worth(own)]));
    const audited = all.flatMap(({ owner, audit }, age) => {
      if (audit === undefined || audit.judge !== name || audit.pairs === 0) return [];
      return [{ owner, age, part: 2 ** (-age / halfLife), seen: seenIn(audit) }];
    });
    const keys = [...Map.groupBy(audited, ({ owner }) => owner)].map(([owner, own]) => {
      return { owner, ...sumOf(own), questions: own.filter(({ age }) => age < latest).length };
    });
    this.#keys = keys.sort((a, b) => a.praise - b.praise);
  }

  /** As a key without searches knows it; where that is too little, as the one that has shown most. */
  get judge(): AuditedJudge {
    const known = this.for(undefined);
    const [first] = this.#keys.toSorted((a, b) => b.weight - a.weight);
    const judge = known.trust === undefined && first !== undefined ? this.for(first.owner) : known;
    const [branching] = [...this.#branched.values()].sort((a, b) => b.searches - a.searches);
    return { ...judge, branching };
  }

  for(owner: string | undefined): AuditedJudge {
    if (this.#told.has(owner)) return this.#told.get(owner)!;
    const own = this.#keys.find((key) => key.owner === owner) ?? sumOf([]);
    const others = this.#keys.filter((key) => key !== own);
    const told = { ...judgeIn(own, others), branching: this.#branched.get(owner ?? '') };
    this.#told.set(owner, told);
    return told;
  }
}

function seenIn({ pairs, right, agreed, differed }: Audit): Seen {
  const samples = [...agreed, ...differed].reduce((sum, each) => sum + each, 0);
  const [yes, no] = [agreed, differed].map((bins) => bins.map((each) => each / samples));
  return { questions: 1, weight: 1, praise: right / pairs - 0.5, pairs, right, agreed: yes!, differed: no! };
}

function sumOf(all: readonly { readonly part: number; readonly seen: Seen }[]): Seen {
  const [agreed, differed] = [Array<number>(auditBins).fill(0), Array<number>(auditBins).fill(0)];
  const sum = { questions: 0, weight: 0, praise: 0, pairs: 0, right: 0, agreed, differed };
  for (const { part, seen } of all) {
    for (const each of sums) sum[each] += part * seen[each];
    for (let bin = 0; bin < auditBins; bin += 1) {
      agreed[bin]! += part * seen.agreed[bin]!;
      differed[bin]! += part * seen.differed[bin]!;
    }
  }
  return sum;
}

/** The two others that praise and blame it most are left out, but for the first suspicion. */
function judgeIn(own: Seen, others: readonly Seen[]): AuditedJudge {
  const { questions: heard, pairs, right, agreed, differed } = heardBy(own, others.slice(1, -1));
  const questions = Math.floor(heard + 1e-9);
  if (questions < leastQuestions) return isSuspect(own, others) ? { questions, trust: 0 } : { questions };
  // The square of the slope: the vote is wrong at times, and a weak judge agrees with it more than with the truth (lab: worth --table trust).
  const trust = Math.min(1, Math.max(0, slopeOf(agreed, differed))) ** 2;
  return { questions, agreement: right / pairs, trust: trust < leastTrust ? 0 : trust };
}

function isSuspect(own: Seen, others: readonly Seen[]): boolean {
  const all = others.reduce((sum, { questions }) => sum + questions, own.questions);
  const heard = heardBy(own, others);
  return all >= suspectQuestions && heard.weight > 0.5 && heard.praise <= 0;
}

function heardBy(own: Seen, others: readonly Seen[]): Seen {
  const all = (most: number) => others.reduce((sum, { weight }) => sum + Math.min(weight, most), own.weight);
  let most = all(Number.POSITIVE_INFINITY);
  for (let step = 0; step < 100; step += 1) most = Math.min(most, mostOfKey * all(most));
  const parts = others.map((seen) => ({ part: Math.min(1, most / seen.weight), seen }));
  return sumOf([{ part: 1, seen: own }, ...parts]);
}

/** Of agreement on log odds. The ridge holds the slope of a judge that is never wrong. */
function slopeOf(agreed: readonly number[], differed: readonly number[]): number {
  const outcomes = agreed.map((yes, bin) => ({ reading: binOdds(bin), yes, all: yes + differed[bin]! }));
  return logisticLine(outcomes, [0, 0], 1e-3)[1];
}

/** `fixed`: the operator's `trust`. */
export function judgeSentence(judge: AuditedJudge, fixed?: number): string {
  const told = trustSentence(judge, fixed);
  return judge.branching === undefined ? told : `${told}; ${branchSentence(judge.branching)}`;
}

function trustSentence({ questions, agreement, trust }: AuditedJudge, fixed?: number): string {
  if (fixed === 0) return 'your reward model is not used: trust is set to 0';
  const by = fixed === undefined ? '' : `; trust is set to ${fixed}`;
  if (agreement === undefined) {
    const far = `${questions} of ${leastQuestions} questions on which samples disagree so far`;
    return `how far your reward model agrees with the vote is unknown: ${far}${by}`;
  }
  const pairs = `in ${Math.round(100 * agreement)} of 100 pairs`;
  if (fixed === undefined && trust === 0)
    return `your reward model is not used: it agrees with the vote ${pairs}, no more than chance`;
  return `your reward model agrees with the vote ${pairs}${by || ' and is used as a weight'}`;
}
