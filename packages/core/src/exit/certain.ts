// Exits because the answers agree. `certificate` counts votes of independent samples and bounds how often the leading answer is not the
// model's most frequent one; `lead` takes any program and promises nothing. Neither says that the answer is right: a model may be certain
// and wrong. Reads votes and signals of the program, never the order of arrival. Packages build rules of their own with `certainBy`.

import { groupAnswers } from '../answer/groups.ts';
import type { OptionsOf } from '../base/knob.ts';
import type { Evidence, Exit } from '../log/end.ts';
import type { Belief, PathVote } from '../tree/readings/certaindex.ts';
import { isBetter } from '../tree/upkeep.ts';
import { leadEvidence } from './certificate.ts';
import { type ExitRule, type Limits, readable } from './exit.ts';

export const certaintyKnobs = {
  certainRisk: {
    default: 0.05,
    low: 0.000001,
    high: 0.5,
    internal: true,
    unit: 'probability',
    why: "of 'certificate' the share of wrong stops that it allows; of 'beta' 1 minus the authors' 0.95; of 'lead' the odds left to the second answer",
  },
  certainAnswers: {
    default: 5,
    low: 2,
    high: 100_000,
    whole: true,
    internal: true,
    unit: 'answers',
    why: "a window of 'windows', the authors' 5; 'threshold', 'curve' and 'margin' are read from so many answers on",
  },
  certainAgreement: {
    default: 0.7,
    low: 0,
    high: 1,
    internal: true,
    unit: 'certainty',
    why: "of 'threshold': 1 minus the normalised entropy of the answers; P1 table 1 for self-consistency, 0.75 to 0.99 for trees",
  },
  certainEvery: {
    default: 1,
    low: 0,
    high: 100_000,
    whole: true,
    internal: true,
    unit: 'answers',
    why: "of 'threshold' and 'curve': read every so many answers; 1 reads all, P1 §6.4 tries 5, and 0 reads once at certainAnswers (its static threshold, and its curve over first readings)",
  },
  certainCurve: {
    default: 1,
    low: 0.01,
    high: 100,
    internal: true,
    unit: 'exponent',
    why: "of 'curve': a search gets certainAnswers answers and, of the rest of its rollouts, the share (1 - agreement) to this power; 1 is a straight line, to be calibrated",
  },
  certainReward: {
    default: 0,
    low: 0,
    high: 1,
    internal: true,
    unit: 'reward',
    why: "of 'threshold': what the rewards of completed paths must reach too; 0 asks for none. P1 table 1: 0.4 for mcts (the mean), 0.99 for rebase (the maximum)",
  },
} as const;

export type CertaintyOptions = OptionsOf<typeof certaintyKnobs>;

export type Agreement = { readonly evidence: Evidence; readonly answer?: Group } | undefined;

export interface AgreementRule {
  readonly name: string;
  readonly summary: string;
  readonly needsSamples?: true;
  readonly readsRisk?: true;
  find(belief: Belief, options: CertaintyOptions, limits: Limits): Agreement;
}

export function certainBy({ name, needsSamples, find }: AgreementRule, options: CertaintyOptions): ExitRule {
  return {
    name,
    ...(needsSamples ? { needsSamples } : {}),
    check({ belief, limits }): Exit | undefined {
      const found = find(belief, options, limits);
      if (found === undefined) return undefined;
      const node = found.answer?.votes.reduce((best, vote) => (isBetter(vote.node, best.node) ? vote : best)).node.id;
      const evidence = node === undefined ? found.evidence : { ...found.evidence, node };
      return { kind: 'certain', rule: name, evidence };
    },
  };
}

export const certificate: AgreementRule = {
  name: 'certificate',
  summary: 'the leading answer is the most frequent one, by a test that may be read after every sample',
  needsSamples: true,
  readsRisk: true,
  find: certified,
};

export const lead: AgreementRule = {
  name: 'lead',
  summary: 'the rewards of the leading answer, added up, are far enough ahead of the second',
  readsRisk: true,
  find: farAhead,
};

/**
 * Promises: over all searches that it could have ended, at most a share ε ends on an answer that is not the model's most frequent
 * one, however often it is read. E must reach K / ε against each of the K rivals that have votes (one that has none, where there is none).
 */
function certified({ votes }: Belief, { certainRisk }: CertaintyOptions): Agreement {
  const { leader, rivals, counts } = standings(votes());
  const needed = rivals / certainRisk;
  const found = leadEvidence(counts.leader, counts.rival);
  if (leader === undefined || found < needed) return undefined;
  return { answer: leader, evidence: { ...counts, rivals, evidence: readable(found), needed: readable(needed) } };
}

/**
 * Growth of the leader's log odds against the second for each reward that it is ahead: 1.3 to 1.4 on every
 * second GSM8K question with a 1.5B model and its own reward model (lab/docs/experiments/real-models.md).
 */
const oddsOfAReward = 1.4;

export function leadNeeded(risk: number): number {
  return Math.log(1 / risk) / oddsOfAReward;
}

/** The leader's rewards, added up, are ahead of the second's by enough to leave it odds of ε. As good as the rewards are; promises nothing. */
function farAhead({ votes }: Belief, { certainRisk }: CertaintyOptions): Agreement {
  const [leader, second] = groupAnswers(votes());
  const needed = leadNeeded(certainRisk);
  const ahead = (leader?.weight ?? 0) - (second?.weight ?? 0);
  if (leader === undefined || ahead < needed) return undefined;
  return { answer: leader, evidence: { ahead: readable(ahead), needed: readable(needed) } };
}

type Group = ReturnType<typeof groupAnswers<PathVote>>[number];

/** Heads, not weights: the groups with the most votes. */
export function standings(votes: readonly PathVote[]) {
  const groups = groupAnswers(votes.map(counted));
  const [leader, second] = groups;
  const rivals = Math.max(1, groups.length - 1);
  const counts = { leader: leader?.votes.length ?? 0, rival: second?.votes.length ?? 0 };
  return { leader, rivals, counts };
}

export function counted(vote: PathVote): PathVote {
  return { ...vote, weight: 1 };
}
