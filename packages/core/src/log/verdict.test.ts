import { describe, expect, it } from 'vitest';
import { describeExit } from './describe.ts';
import { type Judged, shownScore, verdictOf, verdictText } from './verdict.ts';

const judged = (answer: Partial<Judged['answer']>, rest: Partial<Judged> = {}): Judged => {
  const given = answer && { answer: '7', complete: true, score: undefined, ...answer };
  return { answer: given, scoring: 'verifier', threshold: 0.9, ...rest };
};

describe('the verdict on an answer', () => {
  it('is accepted from the threshold on, and below it the best attempt', () => {
    expect(verdictOf(judged({ complete: true, score: 0.9 }))).toBe('accepted');
    const impossible = judged({ complete: true, score: 0.0026 });
    expect(verdictOf(impossible)).toBe('below-threshold');
    expect(verdictText(impossible)).toBe(
      'not accepted: this is the best attempt, and its score 0.002 is below the threshold 0.9',
    );
  });

  it('never shows a score below the threshold as the threshold', () => {
    expect(verdictText(judged({ complete: true, score: 0.89996 }))).toContain('score 0.899 is below');
    expect(verdictText(judged({ complete: true, score: 0.00001 }))).toContain('score <0.001');
    expect(verdictText(judged({ complete: true, score: 0.9 }))).toBe('accepted: score 0.900, threshold 0.9');
  });

  it('is unscored where no verifier spoke, whatever number a path carries', () => {
    const sure = judged({ complete: true, score: 1 }, { scoring: 'confidence' });
    expect([verdictOf(sure), shownScore(sure)]).toEqual(['unscored', undefined]);
    expect(verdictText(sure)).toContain("the model's own confidence");
    const voted = judged({ complete: true, score: undefined, support: 0.75 }, { scoring: 'self-consistency' });
    expect(verdictText(voted)).toBe('unscored: nothing has judged it, 75 % of the vote');
    expect(verdictOf(judged({ complete: true, score: undefined }))).toBe('unscored');
  });

  it('is none where no path was finished, however good its beginning', () => {
    expect(verdictOf(judged(undefined))).toBe('none');
    expect(verdictOf(judged({ complete: false, score: 0.99 }))).toBe('none');
    expect(verdictText(judged({ complete: false, score: 0.99 }))).toContain('no path was finished');
  });

  it('says in the same line where no answer could be read off a finished text', () => {
    const unread = { answer: undefined, complete: true, score: 0.95 };
    expect(verdictOf(judged(unread))).toBe('accepted');
    expect(verdictText(judged(unread))).toMatch(/^accepted: score 0.950, .*; nothing in it is marked as the answer/);
    expect(verdictText(judged({ ...unread, complete: false }))).not.toContain('marked');
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
