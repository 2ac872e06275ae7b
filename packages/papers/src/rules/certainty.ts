// Exits because the answers agree, as baselines for the worth of more work: P1's threshold and curve, P3's margin, and `lead`. None
// promises anything: a model may be certain and wrong. The option `certain` selects one; only experiments set it. The rules read votes
// and signals of the program, never the order of arrival.

import { groupAnswers } from '@coppice/core/answer';
import type { Knobs, OptionsOf } from '@coppice/core/base';
import { defineExit, type ExitPart, type ExitRule, type Limits, readable } from '@coppice/core/exit';
import type { Evidence, Exit } from '@coppice/core/log';
import type { Belief, Certainty, PathVote } from '@coppice/core/tree';

const certaintyKnobs = {
  certain: {
    default: 'off',
    values: ['off', 'threshold', 'curve', 'margin', 'lead'],
    internal: true,
    unit: 'rule',
    why: "off: P0's table has no row for it",
  },
  certainRisk: {
    default: 0.05,
    low: 0.000001,
    high: 0.5,
    internal: true,
    unit: 'probability',
    why: "of 'lead' the odds left to the second answer",
  },
  certainAnswers: {
    default: 5,
    low: 2,
    high: 100_000,
    whole: true,
    internal: true,
    unit: 'answers',
    why: "'threshold', 'curve' and 'margin' are read from so many answers on",
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
    why: "of 'threshold' and 'curve': read every so many answers; P1 §6.4 tries 5, and 0 reads once at certainAnswers",
  },
  certainCurve: {
    default: 1,
    low: 0.01,
    high: 100,
    internal: true,
    unit: 'exponent',
    why: "of 'curve': a search gets certainAnswers answers and, of the rest of its rollouts, the share (1 - agreement) to this power",
  },
  certainReward: {
    default: 0,
    low: 0,
    high: 1,
    internal: true,
    unit: 'reward',
    why: "of 'threshold': what the rewards of completed paths must reach too; 0 asks for none. P1 table 1: 0.4 for mcts (the mean), 0.99 for rebase (the maximum)",
  },
} as const satisfies Knobs;

type CertaintyOptions = OptionsOf<typeof certaintyKnobs>;
type Group = ReturnType<typeof groupAnswers<PathVote>>[number];
type Agreement = { readonly evidence: Evidence; readonly answer?: Group } | undefined;
type Find = (belief: Belief, options: CertaintyOptions, limits: Limits) => Agreement;

export const certaintyExits: readonly ExitPart[] = [
  certainty('threshold', 'agreement and reward have reached their thresholds (P1 §3.2)', threshold),
  certainty('curve', 'the search has as many answers as their agreement allows (P1 §6.4)', curve),
  certainty('margin', 'the leader is ahead of the second (P3 §4.4)', margin),
  certainty('lead', 'the rewards of the leading answer, added up, are far enough ahead of the second', lead),
];

function certainty(name: CertaintyOptions['certain'], summary: string, find: Find): ExitPart {
  const make = (options: CertaintyOptions): ExitRule => ({
    name,
    check({ belief, limits }): Exit | undefined {
      const found = find(belief, options, limits);
      if (found === undefined) return undefined;
      const node = found.answer?.votes.reduce((best, vote) => (vote.node.score > best.node.score ? vote : best)).node
        .id;
      const evidence = node === undefined ? found.evidence : { ...found.evidence, node };
      return { kind: 'certain', rule: name, evidence };
    },
  });
  return defineExit({ name, summary, options: certaintyKnobs, when: ({ certain }) => certain === name, make });
}

/** P1 §3.2: every signal of the program has reached its threshold. */
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
 * P1 §3.2 and §6.4, allocation along a curve: the agreement at the last reading sets the number of answers, from `certainAnswers` at full
 * agreement to all rollouts at none.
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

/** Agreement is a quotient of logarithms, so a whole number of answers may come out slightly too large. */
const rounding = 1e-9;

/** The reading at the first `certainAnswers` answers, or at the latest `certainEvery` after them. */
function lastReading({ certainty }: Belief, { certainAnswers, certainEvery }: CertaintyOptions): Certainty {
  const now = certainty();
  const since = now.answers - Math.max(2, certainAnswers);
  const unread = certainEvery === 0 ? since : since % certainEvery;
  return since <= 0 || unread === 0 ? now : certainty(now.answers - unread);
}

/** α of P3 §4.4. */
const marginShare = 0.5;

/** P3 §4.4: the leader's weight exceeds the second's by more than α times the mean weight of the second's answers. */
function margin({ votes }: Belief, { certainAnswers }: CertaintyOptions): Agreement {
  const all = votes();
  const [leader, second] = groupAnswers(all);
  if (leader === undefined || all.length < Math.max(2, certainAnswers)) return undefined;
  const ahead = leader.weight - (second?.weight ?? 0);
  const least = second === undefined ? 0 : (marginShare * second.weight) / second.votes.length;
  if (ahead <= least) return undefined;
  return { answer: leader, evidence: { answers: all.length, ahead: readable(ahead), needed: readable(least) } };
}

/**
 * Growth of the leader's log odds against the second per reward of lead: 1.3 to 1.4 on every
 * second GSM8K question with a 1.5B model and its own reward model (lab/docs/experiments/real-models.md).
 */
const oddsOfAReward = 1.4;

export function leadNeeded(risk: number): number {
  return Math.log(1 / risk) / oddsOfAReward;
}

/** The leader's summed rewards exceed the second's by enough to leave the second odds of ε. */
function lead({ votes }: Belief, { certainRisk }: CertaintyOptions): Agreement {
  const [leader, second] = groupAnswers(votes());
  const needed = leadNeeded(certainRisk);
  const ahead = (leader?.weight ?? 0) - (second?.weight ?? 0);
  if (leader === undefined || ahead < needed) return undefined;
  return { answer: leader, evidence: { ahead: readable(ahead), needed: readable(needed) } };
}
