import { confidenceOf } from '@coppice/core/answer';
import { confidentFrom } from '@coppice/core/log';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const share = fc.double({ min: 0, max: 1, noNaN: true });
const samples = fc.integer({ min: 1, max: 512 });
const score = fc.double({ min: 0, max: 1, noNaN: true });
const scored = fc.option(score, { nil: undefined });

it('is a probability, whatever votes and judge say', () => {
  fc.assert(
    fc.property(share, samples, scored, (share, samples, score) => {
      const found = confidenceOf({ share, samples, score });
      expect(found).toBeGreaterThan(0);
      expect(found).toBeLessThanOrEqual(1);
    }),
  );
});

it('never falls as more of the samples agree, or as the judge likes the answer better', () => {
  fc.assert(
    fc.property(share, share, score, score, samples, fc.boolean(), (a, b, c, d, samples, judged) => {
      const at = (share: number, score: number) => confidenceOf({ share, samples, score: judged ? score : undefined });
      const [low, high] = [at(Math.min(a, b), Math.min(c, d)), at(Math.max(a, b), Math.max(c, d))];
      expect(high).toBeGreaterThanOrEqual(low);
    }),
  );
});

it('is never high before eight samples without a judge, and can be with one', () => {
  fc.assert(
    fc.property(share, fc.integer({ min: 1, max: 7 }), (share, samples) => {
      expect(confidenceOf({ share, samples })).toBeLessThan(confidentFrom);
    }),
  );
  expect(confidenceOf({ share: 1, samples: 8 })).toBeGreaterThan(confidentFrom);
  expect(confidenceOf({ share: 1, samples: 3, score: 0.95 })).toBeGreaterThan(confidentFrom);
});
