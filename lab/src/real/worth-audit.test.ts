import { expect, it } from 'vitest';
import { auditOf } from './worth-audit.ts';
import { questionOf } from './worth-course.ts';

/** Five of `a` and three of `b`, with their scores; `b` is right in every fourth question. */
function judgedBy(score: (isA: boolean, at: number) => number) {
  return Array.from({ length: 60 }, (_, question) =>
    questionOf(
      Array.from({ length: 8 }, (_unused, at) => {
        const isA = at < 5;
        return { group: isA ? 'a' : 'b', tokens: 1, score: score(isA, at), right: isA === question % 4 > 0 };
      }),
    ),
  );
}

it('finds how well a judge tells the majority apart, and what its odds are worth', () => {
  const good = auditOf(judgedBy((isA, at) => ((isA ? at > 0 : at > 6) ? 0.8 : 0.2)));
  // Four of five of the majority and one of three others have the high score.
  expect(good.split).toBe(60);
  expect(good.agreed).toBeCloseTo((4 * 2 + 0.5 * (4 * 1 + 1 * 2)) / 15, 12);
  expect(good.labelled).toBeCloseTo(0.75 * good.agreed + 0.25 * (1 - good.agreed), 12);
  // Odds of the majority are 4 : 1 above and 1 : 2 below, over log odds of ±ln 4, which an audit keeps in bins.
  expect(Math.sqrt(good.trust!)).toBeCloseTo(Math.log(8) / (2 * Math.log(4)), 1);
});

it('trusts no judge that is against the majority or says nothing, and knows nothing of a silent one', () => {
  expect(auditOf(judgedBy((isA) => (isA ? 0.3 : 0.6))).trust).toBe(0);
  expect(auditOf(judgedBy(() => 0.5)).trust).toBe(0);
  expect(auditOf(judgedBy(() => Number.NaN)).trust).toBeUndefined();
});
