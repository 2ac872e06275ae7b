// Exits because the answers agree. `certificate`, `beta` and `windows` count votes of independent samples and say how likely the leading
// answer is the model's own most frequent one; `lead`, `margin`, `threshold` and `curve` take any program and promise nothing. None of them says
// that the answer is right: a model may be certain and wrong. Reads votes and signals of the program, never the order of arrival.

import { groupAnswers } from '../answer/groups.ts';
import type { Evidence, Exit } from '../log/end.ts';
import type { Belief, Certainty, PathVote } from '../tree/readings/certaindex.ts';
import { isBetter } from '../tree/upkeep.ts';
import { leadEvidence, leadProbability } from './certificate.ts';
import { type ExitRule, type Limits, readable } from './exit.ts';

export const certaintyRules = ['certificate', 'beta', 'windows', 'lead', 'margin', 'threshold', 'curve'] as const;
export type CertaintyRule = (typeof certaintyRules)[number];

export interface CertaintyOptions {
  /** ε: of `certificate` the share of wrong stops that it allows, of `beta` what is missing from a probability of 1, of `lead` the odds left to the second answer. */
  readonly certainRisk: number;
  /** Answers before `threshold` and `margin` are read; samples of a window of `windows`. */
  readonly certainAnswers: number;
  /** Of `threshold` and `curve`: answers between two readings; 0 reads once. */
  readonly certainEvery: number;
  readonly certainCurve: number;
  /** Of `threshold`: what each signal must reach; a reward of 0 asks for none. */
  readonly certainAgreement: number;
  readonly certainReward: number;
}

type Agreement = { readonly evidence: Evidence; readonly answer?: Group } | undefined;

export function certainExit(name: CertaintyRule, options: CertaintyOptions): ExitRule {
  const find = findings[name];
  return {
    name,
    ...(name === 'certificate' || name === 'beta' || name === 'windows' ? { needsSamples: true } : {}),
    check({ belief, limits }): Exit | undefined {
      const found = find(belief, options, limits);
      if (found === undefined) return undefined;
      const node = found.answer?.votes.reduce((best, vote) => (isBetter(vote.node, best.node) ? vote : best)).node.id;
      const evidence = node === undefined ? found.evidence : { ...found.evidence, node };
      return { kind: 'certain', rule: name, evidence };
    },
  };
}

type AgreementRule = (belief: Belief, options: CertaintyOptions, limits: Limits) => Agreement;

const findings: Readonly<Record<CertaintyRule, AgreementRule>> = {
  certificate,
  beta,
  windows,
  lead,
  margin,
  threshold,
  curve,
};

/**
 * Promises: over all searches that it could have ended, at most a share ε ends on an answer that is not the model's most frequent
 * one, however often it is read. E must reach K / ε against each of the K rivals that have votes (one that has none, where there is none).
 */
function certificate({ votes }: Belief, { certainRisk }: CertaintyOptions): Agreement {
  const { leader, rivals, counts } = standings(votes());
  const needed = rivals / certainRisk;
  const found = leadEvidence(counts.leader, counts.rival);
  if (leader === undefined || found < needed) return undefined;
  return { answer: leader, evidence: { ...counts, rivals, evidence: readable(found), needed: readable(needed) } };
}

/** Promises: at the moment it is read, from a flat prior, the leader beats the second with probability 1 − ε. Being read after every sample, it is wrong more often. */
function beta({ votes }: Belief, { certainRisk }: CertaintyOptions): Agreement {
  const { leader, counts } = standings(votes());
  const probability = leadProbability(counts.leader, counts.rival);
  if (leader === undefined || probability < 1 - certainRisk) return undefined;
  return { answer: leader, evidence: { ...counts, probability: readable(probability), needed: 1 - certainRisk } };
}

/** Early-stopping self-consistency (Li et al. 2024): all samples of one window, one after the other, agree. Promises no more than that. */
function windows({ votes }: Belief, { certainAnswers: size }: CertaintyOptions): Agreement {
  const all = votes();
  for (let end = size; end <= all.length; end += size) {
    if (groupAnswers(all.slice(end - size, end).map(counted)).length > 1) continue;
    const { leader, counts } = standings(all.slice(0, end));
    return leader && { answer: leader, evidence: { ...counts, window: size, answers: end } };
  }
  return undefined;
}

/**
 * What the odds of the leading answer against the second grow by for each reward that it is ahead, as a logarithm: 1.3 to 1.4 on every
 * second GSM8K question with a 1.5B model and its own reward model (lab/docs/experiments/real-models.md).
 */
const oddsOfAReward = 1.4;

export function leadNeeded(risk: number): number {
  return Math.log(1 / risk) / oddsOfAReward;
}

/** The leader's rewards, added up, are ahead of the second's by enough to leave it odds of ε. As good as the rewards are; promises nothing. */
function lead({ votes }: Belief, { certainRisk }: CertaintyOptions): Agreement {
  const [leader, second] = groupAnswers(votes());
  const needed = leadNeeded(certainRisk);
  const ahead = (leader?.weight ?? 0) - (second?.weight ?? 0);
  if (leader === undefined || ahead < needed) return undefined;
  return { answer: leader, evidence: { ahead: readable(ahead), needed: readable(needed) } };
}

/** α of P3 §4.4. */
const marginShare = 0.5;

/** P3 §4.4: the leader's weight is ahead of the second's by more than α times the mean weight of the second's answers. Promises nothing. */
function margin({ votes }: Belief, { certainAnswers }: CertaintyOptions): Agreement {
  const all = votes();
  const [leader, second] = groupAnswers(all);
  if (leader === undefined || all.length < Math.max(2, certainAnswers)) return undefined;
  const [ahead, least] = [
    leader.weight - (second?.weight ?? 0),
    second === undefined ? 0 : (marginShare * second.weight) / second.votes.length,
  ];
  if (ahead <= least) return undefined;
  return { answer: leader, evidence: { answers: all.length, ahead: readable(ahead), needed: readable(least) } };
}

/** P1 §3.2: each signal of the program has reached its threshold. Promises nothing; the thresholds are to be calibrated. */
function threshold(belief: Belief, options: CertaintyOptions): Agreement {
  const { answers, agreement, reward } = lastReading(belief, options);
  const { certainAnswers, certainAgreement, certainReward } = options;
  if (answers < Math.max(2, certainAnswers) || agreement < certainAgreement) return undefined;
  const known = { answers, agreement: readable(agreement), needed: certainAgreement };
  if (certainReward === 0 || reward === undefined) return { evidence: known };
  if (reward < certainReward) return undefined;
  return { evidence: { ...known, reward: readable(reward), neededReward: certainReward } };
}

/**
 * P1 §3.2 and §6.4, allocation along a curve: a search gets so many answers as the agreement at its last reading allows, all of
 * its rollouts where nothing agrees, no more where everything does. Promises nothing; the exponent is to be calibrated.
 */
function curve(belief: Belief, options: CertaintyOptions, { rollouts }: Limits): Agreement {
  const { agreement, answers: read } = lastReading(belief, options);
  const { answers } = belief.certainty();
  const first = Math.max(2, options.certainAnswers);
  const doubt = (1 - agreement) ** options.certainCurve;
  const allowed = Math.ceil(first + Math.max(0, rollouts - first) * doubt - rounding);
  if (read < first || answers < allowed) return undefined;
  return { evidence: { answers, agreement: readable(agreement), read, allowed, rollouts } };
}

/** An agreement is a quotient of logarithms, and may miss a whole number of answers by a little. */
const rounding = 1e-9;

/** At the first `certainAnswers` answers and every `certainEvery` after them; what has come since the last reading waits for the next. */
function lastReading({ certainty }: Belief, { certainAnswers, certainEvery }: CertaintyOptions): Certainty {
  const now = certainty();
  const since = now.answers - Math.max(2, certainAnswers);
  const unread = certainEvery === 0 ? since : since % certainEvery;
  return since <= 0 || unread === 0 ? now : certainty(now.answers - unread);
}

type Group = ReturnType<typeof groupAnswers<PathVote>>[number];

/** Heads, not weights: the groups with the most votes. */
function standings(votes: readonly PathVote[]) {
  const groups = groupAnswers(votes.map(counted));
  const [leader, second] = groups;
  const rivals = Math.max(1, groups.length - 1);
  const counts = { leader: leader?.votes.length ?? 0, rival: second?.votes.length ?? 0 };
  return { leader, rivals, counts };
}

function counted(vote: PathVote): PathVote {
  return { ...vote, weight: 1 };
}
