import { describe, expect, it } from 'vitest';
import { describeExit } from './describe.ts';
import {
  isDoubtful,
  type Judged,
  shownScore,
  type Verdict,
  verdictOf,
  verdictText,
  writtenVerdict,
} from './verdict.ts';

const judged = (answer: Partial<Judged['answer']>, rest: Partial<Judged> = {}): Judged => {
  const given = answer && { answer: '7', complete: true, score: undefined, ...answer };
  return { answer: given, scoring: 'verifier', threshold: 0.9, ...rest };
};

describe('the verdict on an answer', () => {
  it.each<[Verdict, string, Partial<Judged['answer']>, Partial<Judged>]>([
    ['accepted', 'a named threshold is reached', { score: 0.9, confidence: 0.2 }, { accepts: 'named' }],
    ['accepted', 'a checker says so', { score: 0.9, confidence: 0.2 }, { accepts: 'checked' }],
    ['accepted', 'an older plan held every score against the threshold', { score: 0.9 }, {}],
    ['unsure', 'an older plan, below it', { score: 0.89 }, {}],
    ['confident', 'nobody named the threshold', { score: 1, confidence: 0.9 }, { accepts: 'never' }],
    ['likely', 'nobody named the threshold', { score: 1, confidence: 0.89 }, { accepts: 'never' }],
    ['unsure', 'nobody named the threshold', { score: 1, confidence: 0.59 }, { accepts: 'never' }],
    ['unsure', 'nobody named the threshold, and answers cannot be compared', { score: 1 }, { accepts: 'never' }],
    ['likely', 'below a named threshold the votes speak', { score: 0.7, confidence: 0.6 }, { accepts: 'named' }],
    ['unsure', 'a checker refuses what all samples say', { score: 0, confidence: 0.95 }, { accepts: 'checked' }],
    ['confident', 'a vote without a judge', { confidence: 0.95 }, { scoring: 'self-consistency' }],
    ['unsure', 'nothing tells', {}, { scoring: 'none' }],
    ['unsure', "the model's own confidence accepts nothing", { score: 1 }, { scoring: 'confidence' }],
    ['none', 'no path was finished', { complete: false, score: 0.99, confidence: 0.99 }, {}],
    ['none', 'no path says an answer', { unsaid: true, score: 0.99 }, {}],
  ])('is %s where %s', (verdict, _, answer, rest) => {
    expect(verdictOf(judged(answer, rest))).toBe(verdict);
  });

  it('is none without any path', () => {
    expect(verdictOf(judged(undefined))).toBe('none');
    expect(verdictText(judged({ complete: false, score: 0.99 }))).toContain('no path was finished');
  });

  it('is told in one sentence', () => {
    const voted = { support: 0.7, samples: 10, confidence: 0.81 };
    expect(verdictText(judged(voted, { scoring: 'self-consistency' }))).toBe(
      'likely: 70 % of the vote of 10 samples; about 81 % of such answers are right',
    );
    expect(verdictText(judged({ ...voted, score: 0.7 }, { accepts: 'named' }))).toBe(
      'likely: score 0.700 is below the threshold 0.9; 70 % of the vote of 10 samples; about 81 % of such answers are right',
    );
    const one = { support: 1, samples: 1, confidence: 0.478 };
    expect(verdictText(judged({ ...one, score: 0.95 }, { accepts: 'never' }))).toBe(
      'unsure: score 0.950; one sample; about 48 % of such answers are right',
    );
    expect(verdictText(judged({ samples: 3, confidence: 0.95, score: 0.95 }, { accepts: 'never' }))).toBe(
      'confident: score 0.950; 3 samples; about 95 % of such answers are right',
    );
    const refused = verdictText(judged({ ...voted, score: 0.0026 }, { accepts: 'checked' }));
    expect(refused).toBe('unsure: score 0.002 is below the threshold 0.9; 70 % of the vote of 10 samples');
    const zero = verdictText(judged({ ...voted, support: 0, score: 0 }, { accepts: 'checked' }));
    expect(zero).toBe('unsure: score 0.000 is below the threshold 0.9');
    expect(verdictText(judged({}, { scoring: 'none' }))).toBe('unsure: nothing has judged it');
    expect(verdictText(judged({ score: 1 }, { scoring: 'confidence' }))).toContain("the model's own confidence");
  });

  it('never shows a score below the threshold as the threshold', () => {
    expect(verdictText(judged({ score: 0.89996 }))).toContain('score 0.899 is below');
    expect(verdictText(judged({ score: 0.00001 }))).toContain('score <0.001');
    expect(verdictText(judged({ score: 0.9 }))).toBe('accepted: score 0.900, threshold 0.9');
  });

  it('shows no score where no verifier spoke, whatever number a path carries', () => {
    expect(shownScore(judged({ score: 1 }, { scoring: 'confidence' }))).toBeUndefined();
  });

  it('says in the same line where no answer could be read off a finished text', () => {
    const unread = { answer: undefined, complete: true, score: 0.95 };
    expect(verdictOf(judged(unread))).toBe('accepted');
    expect(verdictText(judged(unread))).toMatch(/^accepted: score 0.950, .*; nothing in it is marked as the answer/);
    expect(verdictText(judged({ ...unread, complete: false }))).not.toContain('marked');
  });

  it('of an older journal is one of today', () => {
    expect(['accepted', 'below-threshold', 'unscored', 'none'].map(writtenVerdict)).toEqual([
      'accepted',
      'unsure',
      'unsure',
      'none',
    ]);
    expect(['accepted', 'confident', 'likely'].map(writtenVerdict).some(isDoubtful)).toBe(false);
  });
});

describe('why a search ended', () => {
  it('says that a budget is spent only where it is', () => {
    const exhausted = (rule: string) => describeExit({ kind: 'exhausted', rule, evidence: {} });
    expect(exhausted('rollouts')).toBe('all rollouts are used');
    expect(exhausted('tokens')).toBe('the token budget is spent');
    expect(exhausted('nothing-left')).not.toMatch(/budget|spent/);
    expect(exhausted('nodes')).not.toMatch(/budget|spent/);
  });
});
