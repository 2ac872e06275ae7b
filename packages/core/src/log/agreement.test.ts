import { describe, expect, it } from 'vitest';
import { Random } from '../base/random.ts';
import { auditSamples } from '../tree/readings/audit.ts';
import { type AuditRow, judgeOf, judgeSentence } from './agreement.ts';

/** A question of ten samples, seven of which agree; the judge gives each a score. */
function row(owner: string, scoreOf: (agrees: boolean) => number | undefined): AuditRow {
  const samples = Array.from({ length: 10 }, (_, at) => ({ meaning: at < 7 ? 'a' : `b${at}`, score: scoreOf(at < 7) }));
  return { owner, audit: auditSamples(samples) };
}

function rows(count: number, owner: (at: number) => string, scoreOf: (agrees: boolean) => number | undefined) {
  return Array.from({ length: count }, (_, at) => row(owner(at), scoreOf));
}

const random = new Random(7);
const likes = (agrees: boolean) => (agrees ? 0.9 : 0.2);
const dislikes = (agrees: boolean) => (agrees ? 0.2 : 0.9);
const oneKey = () => 'ann';

describe('a judge', () => {
  it('that is always right is trusted, one that is always wrong or blind is not', () => {
    expect(judgeOf(rows(60, oneKey, likes))).toEqual({ questions: 60, agreement: 1, trust: 1 });
    expect(judgeOf(rows(60, oneKey, dislikes))).toEqual({ questions: 60, agreement: 0, trust: 0 });
    expect(judgeOf(rows(60, oneKey, () => 0.5))).toEqual({ questions: 60, agreement: 0.5, trust: 0 });
    const chance = judgeOf(rows(2000, oneKey, () => random.uniform()));
    expect(chance.agreement).toBeCloseTo(0.5, 1);
    expect(chance.trust).toBe(0);
  });

  it('whose odds are those of agreement to the power of s is trusted by s²', () => {
    for (const slope of [0.3, 0.6, 0.9]) {
      const calibrated = (agrees: boolean) => {
        for (;;) {
          // Log odds from -3 to 3 that are kept by the chance of this class.
          const odds = 6 * random.uniform() - 3;
          const chance = 1 / (1 + Math.exp(-slope * odds));
          if (random.uniform() < (agrees ? chance : 1 - chance)) return 1 / (1 + Math.exp(-odds));
        }
      };
      expect(judgeOf(rows(3000, oneKey, calibrated)).trust).toBeCloseTo(slope ** 2, 1);
    }
  });

  it('is not known below 50 split questions; readings that failed, and other questions, are none', () => {
    const few = rows(49, oneKey, likes);
    expect(judgeOf(few)).toEqual({ questions: 49 });
    expect(judgeOf([...few, ...rows(9, oneKey, () => Number.NaN), { owner: 'ann' }])).toEqual({ questions: 49 });
    expect(judgeOf([...few, row('ann', likes)]).trust).toBe(1);
    expect(judgeOf([...few, { owner: 'ann', audit: { ...row('ann', likes).audit!, judge: 'other' } }]).questions).toBe(
      49,
    );
  });

  it('that differs from the vote from the first is not waited for', () => {
    expect(judgeOf(rows(9, oneKey, dislikes))).toEqual({ questions: 9 });
    expect(judgeOf(rows(10, oneKey, dislikes))).toEqual({ questions: 10, trust: 0 });
    expect(judgeOf(rows(10, oneKey, () => 0.5)).trust).toBe(0);
    expect(judgeOf(rows(49, oneKey, likes)).trust).toBeUndefined();
  });

  it('is known again after 4,000 searches by what it did since: one that is not read is tried again', () => {
    const silent = Array.from({ length: 3960 }, () => ({ owner: 'ann' }));
    expect(judgeOf([...silent, ...rows(60, oneKey, dislikes)])).toEqual({ questions: 40, trust: 0 });
    const changed = judgeOf([...rows(60, oneKey, likes), ...silent, ...rows(60, oneKey, dislikes)]);
    // Two half-lives: one in four.
    expect(changed.agreement).toBeCloseTo(0.8, 1);
  });
});

describe('a key that feeds lies', () => {
  it('has a fifth of the weight, however often it asks', () => {
    const honest = rows(180, (at) => `key ${at % 9}`, likes);
    const lies = rows(1800, () => 'liar', dislikes);
    const mixed = [...honest, ...lies].map((each) => ({ each, place: random.uniform() }));
    const shuffled = mixed.sort((a, b) => a.place - b.place).map(({ each }) => each);
    expect(judgeOf(shuffled).agreement).toBeGreaterThanOrEqual(0.799);
    expect(judgeOf(shuffled).agreement).toBeLessThan(0.85);
  });

  it('has the rest where others have shown next to nothing, and all where it is alone', () => {
    expect(judgeOf([...rows(10, () => 'bob', likes), ...rows(90, oneKey, dislikes)]).agreement).toBeCloseTo(0.2, 1);
    expect(judgeOf(rows(90, oneKey, dislikes)).agreement).toBe(0);
  });
});

it('is told in a sentence', () => {
  expect(judgeSentence({ questions: 80, agreement: 0.777, trust: 0.6 })).toBe(
    'your reward model agrees with the vote in 78 of 100 pairs and is used as a weight',
  );
  expect(judgeSentence({ questions: 80, agreement: 0.49, trust: 0 })).toBe(
    'your reward model is not used: it agrees with the vote in 49 of 100 pairs, no more than chance',
  );
  expect(judgeSentence({ questions: 12 })).toMatch(/is unknown: 12 of 50 questions on which samples disagree so far$/);
  expect(judgeSentence({ questions: 80, agreement: 0.9, trust: 1 }, 0.3)).toMatch(
    /90 of 100 pairs; trust is set to 0.3$/,
  );
  expect(judgeSentence({ questions: 12 }, 0)).toBe('your reward model is not used: trust is set to 0');
});
