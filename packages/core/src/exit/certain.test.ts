import { describe, expect, test } from 'vitest';
import { AnswerTally } from '../answer/tally.ts';
import type { Belief, PathVote } from '../tree/readings/certaindex.ts';
import { Tree } from '../tree/tree.ts';
import { leadEvidence, leadProbability } from './certificate.ts';
import type { SearchView } from './exit.ts';
import { type CertaintyRule, exitParts } from './exits.ts';

const options = {
  certainRisk: 0.05,
  certainAnswers: 5,
  certainAgreement: 0.7,
  certainReward: 0,
  certainEvery: 1,
  certainCurve: 1,
};

/** Answers in the order of their samples, a letter each; weights where the path was scored. */
function exitOf(rule: CertaintyRule, answers: string, given: Partial<typeof options> = {}, weights: number[] = []) {
  const tree = Tree.plant('product');
  const votes: PathVote[] = [...answers].map((answer, at) => {
    const node = { ...tree.root, id: at, key: at, score: weights[at] ?? 1 };
    return { answer, weight: weights[at] ?? 1, node };
  });
  return exitBy(rule, { votes: () => votes, certainty: () => ({ answers: 0, agreement: 0 }) }, given);
}

function exitBy(rule: CertaintyRule, belief: Belief, given: Partial<typeof options> = {}) {
  const limits = { threshold: 0.9, rollouts: 16 };
  const view: SearchView = { tree: Tree.plant('product'), belief, limits, nowMs: 0, arrivalMs: 0, admittedMs: 0 };
  const part = exitParts().find(({ name }) => name === rule)!;
  return part.make({ ...options, ...given }).check(view);
}

describe('a lead', () => {
  test('is weighed against a tie by exact sums', () => {
    // 2^8 · ∫ θ^7 = 255 / 8; 2^3 · ∫ θ(1 − θ) = 8 / 12; P(θ > ½) after 4 : 0 is 1 − 1/32, after 1 : 1 one half.
    expect(leadEvidence(7, 0)).toBeCloseTo(255 / 8, 9);
    expect(leadEvidence(1, 1)).toBeCloseTo(8 / 12, 9);
    expect(leadProbability(4, 0)).toBeCloseTo(31 / 32, 12);
    expect(leadProbability(1, 1)).toBeCloseTo(0.5, 12);
    expect(leadProbability(2000, 2000)).toBeCloseTo(0.5, 9);
    expect(leadEvidence(2000, 2)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('the exit', () => {
  test('certificate fires at 7 : 0, 10 : 1 and 12 : 2, and not a vote earlier', () => {
    for (const [votes, rivals] of [
      [7, 0],
      [10, 1],
      [12, 2],
    ] as const) {
      const answers = 'b'.repeat(rivals) + 'a'.repeat(votes);
      expect(exitOf('certificate', answers.slice(0, -1))).toBeUndefined();
      expect(exitOf('certificate', answers)).toMatchObject({
        kind: 'certain',
        rule: 'certificate',
        evidence: { leader: votes, rival: rivals, rivals: 1, needed: 20 },
      });
    }
  });

  test('certificate asks for more where there are more rivals, and names a path of its answer', () => {
    // Against one vote each of two rivals K = 2, so E ≥ 40: 10 : 1 is 2^12·∫… = 31 and 12 : 1 more than enough.
    expect(exitOf('certificate', `bc${'a'.repeat(10)}`)).toBeUndefined();
    expect(exitOf('certificate', `bc${'a'.repeat(12)}`)?.evidence).toMatchObject({ rivals: 2, needed: 40, node: 2 });
  });

  test('beta fires at 4 : 0, 6 : 1 and 8 : 2', () => {
    expect(['aaa', 'baaaaa', 'bbaaaaaaa'].map((answers) => exitOf('beta', answers))).toEqual(Array(3).fill(undefined));
    const fired = ['aaaa', 'baaaaaa', 'bbaaaaaaaa'].map((answers) => exitOf('beta', answers)?.evidence.leader);
    expect(fired).toEqual([4, 6, 8]);
  });

  test('windows fires where one window agrees, with the majority of all samples so far', () => {
    expect(exitOf('windows', 'aaaa')).toBeUndefined();
    expect(exitOf('windows', 'baaaaaaaa')).toBeUndefined();
    expect(exitOf('windows', 'bbaaabbbbb')?.evidence).toEqual({ leader: 7, rival: 3, window: 5, answers: 10, node: 0 });
    // The first window that agreed decides, though more has come since.
    expect(exitOf('windows', 'aaaaabbbbb')?.evidence).toMatchObject({ leader: 5, rival: 0, answers: 5 });
  });

  test('lead fires where rewards, added up, leave the second answer odds of the risk', () => {
    // ln 20 / 1.4 = 2.14 rewards ahead.
    expect(exitOf('lead', 'aaa', {}, [0.9, 0.9, 0.3])).toBeUndefined();
    expect(exitOf('lead', 'aaa', {}, [0.9, 0.9, 0.4])?.evidence).toMatchObject({ ahead: 2.2, node: 0 });
    expect(exitOf('lead', 'aaab', {}, [0.9, 0.9, 0.4, 0.1])).toBeUndefined();
    expect(exitOf('lead', 'aaab', { certainRisk: 0.2 }, [0.9, 0.9, 0.4, 0.1])?.evidence).toMatchObject({ ahead: 2.1 });
    // Many poor votes do not outweigh a few good ones.
    expect(exitOf('lead', 'bbbbaaa', {}, [0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9])?.evidence).toMatchObject({ node: 4 });
  });

  test('margin fires where the lead in weight is more than half of a mean vote of the second', () => {
    // a: 0.9 + 0.3 + 0.1; b: 0.4 + 0.4: ahead by 0.5, and 0.2 is needed.
    expect(exitOf('margin', 'aabba', {}, [0.9, 0.3, 0.4, 0.4, 0.1])?.evidence).toMatchObject({
      ahead: 0.5,
      needed: 0.2,
    });
    // b: 0.6 + 0.6: ahead by 0.1, and 0.3 is needed.
    expect(exitOf('margin', 'aabba', {}, [0.9, 0.3, 0.6, 0.6, 0.1])).toBeUndefined();
    expect(exitOf('margin', 'aaaa')).toBeUndefined();
  });

  test('threshold asks every signal that the program has', () => {
    const belief = (answers: number, agreement: number, reward?: number): Belief => ({
      votes: () => [],
      certainty: () => ({ answers, agreement, ...(reward === undefined ? {} : { reward }) }),
    });
    expect(exitBy('threshold', belief(4, 1))).toBeUndefined();
    expect(exitBy('threshold', belief(5, 0.69))).toBeUndefined();
    expect(exitBy('threshold', belief(5, 0.7))?.evidence).toEqual({ answers: 5, agreement: 0.7, needed: 0.7 });
    expect(exitBy('threshold', belief(5, 0.7, 0.3), { certainReward: 0.4 })).toBeUndefined();
    const both = exitBy('threshold', belief(5, 0.7, 0.5), { certainReward: 0.4 });
    expect(both?.evidence).toMatchObject({ reward: 0.5, neededReward: 0.4 });
    expect(exitBy('threshold', belief(5, 0.7), { certainReward: 0.4 })).toBeDefined();
  });

  /** Agreement of the first so many answers, letters in the order of their samples. */
  const believing = (answers: string): Belief => ({
    votes: () => [],
    certainty: (upTo) => {
      const tally = new AnswerTally();
      for (const answer of answers.slice(0, upTo)) tally.add({ answer });
      return { answers: tally.answers, agreement: tally.agreement };
    },
  });

  test('threshold may be read every so many answers, or once', () => {
    // The first five agree to 0.69, the first six to 0.75, all eight to 0.8.
    const fires = (answers: string, certainEvery: number) =>
      exitBy('threshold', believing(answers), { certainEvery })?.evidence;
    expect(fires('aaaab', 1)).toBeUndefined();
    expect(fires('aaaaba', 1)).toMatchObject({ answers: 6 });
    expect(fires('aaaaba', 3)).toBeUndefined();
    expect(fires('aaaabaaa', 3)).toMatchObject({ answers: 8 });
    expect(fires('aaaabaaaaaaaaaaa', 0)).toBeUndefined();
    expect(fires('aaaaaba', 0)).toMatchObject({ answers: 5, agreement: 1 });
  });

  test('curve gives a search as many answers as its agreement leaves in doubt', () => {
    const fires = (answers: string, given: Partial<typeof options>) =>
      exitBy('curve', believing(answers), given)?.evidence;
    // Two pairs and one: agreement (2 · 2 log 2) / (5 log 5) = 0.3445; of 16 rollouts 5 + 11 · 0.6555 = 12.2, so 13.
    expect(fires('aabbc', {})).toBeUndefined();
    expect(fires(`aabbc${'xyzuvwp'}`, { certainEvery: 0 })).toBeUndefined();
    expect(fires(`aabbc${'xyzuvwpq'}`, { certainEvery: 0 })).toMatchObject({ answers: 13, read: 5, allowed: 13 });
    expect(fires('aaaaa', {})).toMatchObject({ answers: 5, allowed: 5 });
    // Read at every answer, a search that comes to agree gets fewer: ten of thirteen agree to 0.73, so 5 + 11 · 0.27.
    expect(fires('aabbcaaaaaaaa', {})).toMatchObject({ answers: 13, read: 13, allowed: 8 });
    // A steeper curve trusts half an agreement: 0.6555² of 11 is 4.7, so 10.
    expect(fires('aabbcxyzuv', { certainEvery: 0, certainCurve: 2 })).toMatchObject({ answers: 10, allowed: 10 });
  });
});
