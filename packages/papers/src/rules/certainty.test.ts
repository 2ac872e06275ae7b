import { describe, expect, test } from 'vitest';
import { AnswerTally } from '../../../core/src/answer/entropy.ts';
import type { SearchView } from '../../../core/src/exit/exit.ts';
import type { Belief, PathVote } from '../../../core/src/tree/readings/certaindex.ts';
import { Tree } from '../../../core/src/tree/tree.ts';
import { certaintyExits } from './certainty.ts';

const options = {
  certainRisk: 0.05,
  certainAnswers: 5,
  certainAgreement: 0.7,
  certainReward: 0,
  certainEvery: 1,
  certainCurve: 1,
};

/** Answers in the order of their samples, a letter each; `weights` are the scores of their paths. */
function exitOf(rule: string, answers: string, given: Partial<typeof options> = {}, weights: number[] = []) {
  const tree = Tree.plant('product');
  const votes: PathVote[] = [...answers].map((answer, at) => {
    const node = { ...tree.root, id: at, key: at, score: weights[at] ?? 1 };
    return { answer, weight: weights[at] ?? 1, node };
  });
  return exitBy(rule, { votes: () => votes, certainty: () => ({ answers: 0, agreement: 0 }) }, given);
}

function exitBy(rule: string, belief: Belief, given: Partial<typeof options> = {}) {
  const limits = { threshold: 0.9, rollouts: 16 };
  const view: SearchView = { tree: Tree.plant('product'), belief, limits, nowMs: 0, arrivalMs: 0, admittedMs: 0 };
  const part = certaintyExits.find(({ name }) => name === rule)!;
  return part.make({ ...options, ...given }).check(view);
}

describe('the exit', () => {
  test('lead fires where rewards, added up, leave the second answer odds of the risk', () => {
    // ln 20 / 1.4 = 2.14 rewards ahead.
    expect(exitOf('lead', 'aaa', {}, [0.9, 0.9, 0.3])).toBeUndefined();
    expect(exitOf('lead', 'aaa', {}, [0.9, 0.9, 0.4])?.evidence).toMatchObject({ ahead: 2.2, node: 0 });
    expect(exitOf('lead', 'aaab', {}, [0.9, 0.9, 0.4, 0.1])).toBeUndefined();
    expect(exitOf('lead', 'aaab', { certainRisk: 0.2 }, [0.9, 0.9, 0.4, 0.1])?.evidence).toMatchObject({ ahead: 2.1 });
    // Many low rewards do not outweigh a few high ones.
    expect(exitOf('lead', 'bbbbaaa', {}, [0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.9])?.evidence).toMatchObject({ node: 4 });
  });

  test('margin fires where the lead in weight is more than half of a mean vote of the second', () => {
    // a: 0.9 + 0.3 + 0.1; b: 0.4 + 0.4: ahead by 0.5, with 0.2 needed.
    expect(exitOf('margin', 'aabba', {}, [0.9, 0.3, 0.4, 0.4, 0.1])?.evidence).toMatchObject({
      ahead: 0.5,
      needed: 0.2,
    });
    // b: 0.6 + 0.6: ahead by 0.1, with 0.3 needed.
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

  /** Agreement of the first answers, as letters in the order of their samples. */
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
    // Read at every answer, a search whose answers come to agree gets fewer: ten of thirteen agree to 0.73, so 5 + 11 · 0.27.
    expect(fires('aabbcaaaaaaaa', {})).toMatchObject({ answers: 13, read: 13, allowed: 8 });
    // A steeper curve trusts half an agreement: 0.6555² of 11 is 4.7, so 10.
    expect(fires('aabbcxyzuv', { certainEvery: 0, certainCurve: 2 })).toMatchObject({ answers: 10, allowed: 10 });
  });
});
