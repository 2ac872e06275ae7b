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
import type { certaintyKnobs } from './exits.ts';

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
