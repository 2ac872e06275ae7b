// Certainty rules of papers: adaptive consistency (beta), early-stopping self-consistency (windows), P3's margin, P1's threshold and curve.
// `beta` and `windows` count votes of independent samples; the others take any program and promise nothing.

import { groupAnswers } from '@coppice/core/answer';
import {
  type Agreement,
  type AgreementRule,
  type CertaintyOptions,
  counted,
  type Limits,
  leadProbability,
  readable,
  standings,
} from '@coppice/core/exit';
import type { Belief, Certainty } from '@coppice/core/tree';

export const certaintyRules: readonly AgreementRule[] = [
  {
    name: 'beta',
    summary: 'the leading answer is the most frequent one, by adaptive consistency',
    needsSamples: true,
    readsRisk: true,
    find: beta,
  },
  { name: 'windows', summary: 'all samples of one window agree', needsSamples: true, find: windows },
  { name: 'margin', summary: 'the leader is ahead of the second (P3 §4.4)', find: margin },
  { name: 'threshold', summary: 'agreement and reward have reached their thresholds (P1 §3.2)', find: threshold },
  { name: 'curve', summary: 'the search has as many answers as their agreement allows (P1 §6.4)', find: curve },
];

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

/** Reads at the first `certainAnswers` answers and every `certainEvery` after them. */
function lastReading({ certainty }: Belief, { certainAnswers, certainEvery }: CertaintyOptions): Certainty {
  const now = certainty();
  const since = now.answers - Math.max(2, certainAnswers);
  const unread = certainEvery === 0 ? since : since % certainEvery;
  return since <= 0 || unread === 0 ? now : certainty(now.answers - unread);
}
