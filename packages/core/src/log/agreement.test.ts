import { describe, expect, it } from 'vitest';
import { Random } from '../base/random.ts';
import { auditSamples } from '../tree/readings/audit.ts';
import { type AuditedJudge, type AuditRow, JudgeAudits, judgeSentence } from './agreement.ts';

/** A question of ten samples, seven of which agree; the judge gives each a score. */
function row(owner: string, scoreOf: (agrees: boolean) => number | undefined): AuditRow {
  const samples = Array.from({ length: 10 }, (_, at) => ({ meaning: at < 7 ? 'a' : `b${at}`, score: scoreOf(at < 7) }));
  return { owner, audit: auditSamples(samples) };
}

function rows(count: number, owner: (at: number) => string, scoreOf: (agrees: boolean) => number | undefined) {
  return Array.from({ length: count }, (_, at) => row(owner(at), scoreOf));
}

function judgeOf(rows: readonly AuditRow[]): AuditedJudge {
  return new JudgeAudits(rows).judge;
}

function mixed(...all: readonly AuditRow[][]): AuditRow[] {
  const placed = all.flat().map((each) => ({ each, place: random.uniform() }));
  return placed.sort((a, b) => a.place - b.place).map(({ each }) => each);
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

  it('that differs stays suspect while it is not read', () => {
    const silent = Array.from({ length: 1500 }, () => ({ owner: 'ann' }));
    expect(judgeOf([...silent, ...rows(10, oneKey, dislikes)])).toEqual({ questions: 10, trust: 0 });
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
  const nine = (count: number, scoreOf: (agrees: boolean) => number | undefined) =>
    rows(count, (at) => `key ${at % 9}`, scoreOf);

  it.each([
    [likes, dislikes, 1],
    [dislikes, likes, 0],
  ])('misleads itself alone, however often it asks', (honest, lie, trust) => {
    const audits = new JudgeAudits(
      mixed(
        nine(180, honest),
        rows(1800, () => 'liar', lie),
      ),
    );
    for (const owner of ['key 0', 'key 8', 'a new one', undefined]) expect(audits.for(owner).trust).toBe(trust);
    expect(audits.judge.trust).toBe(trust);
  });

  it('does not end what others still wait for, nor keep them from a suspicion', () => {
    const praise = rows(200, () => 'liar', likes);
    expect(new JudgeAudits(mixed(praise, nine(9, likes))).for('key 0').trust).toBeUndefined();
    expect(new JudgeAudits(mixed(praise, nine(9, dislikes))).for('key 0').trust).toBe(0);
    expect(new JudgeAudits(mixed(praise, rows(8, oneKey, dislikes))).for('ann').trust).toBe(0);
    const blame = rows(200, () => 'liar', dislikes);
    expect(new JudgeAudits(mixed(blame, nine(9, likes))).for('key 0').trust).toBeUndefined();
    expect(new JudgeAudits(blame).for('ann').trust).toBeUndefined();
  });

  it('is one of two whose part is a fifth at most', () => {
    const lies = rows(1800, (at) => `liar ${at % 2}`, likes);
    expect(new JudgeAudits(mixed(nine(180, dislikes), lies)).for('key 0')).toMatchObject({ trust: 0 });
    expect(new JudgeAudits(mixed(nine(180, dislikes), lies)).for('key 0').agreement).toBeLessThan(0.201);
  });

  it('is not told from one that asks alone: what it has shown is what all are told', () => {
    const audits = new JudgeAudits(
      mixed(
        rows(10, () => 'bob', likes),
        rows(90, oneKey, dislikes),
      ),
    );
    expect([audits.judge.agreement, audits.for('ann').trust, audits.for('bob').trust]).toEqual([0, 0, undefined]);
  });
});

it('a question counts once, however many samples it took', () => {
  const large = rows(60, oneKey, (agrees) => (agrees ? 0.9 : random.uniform())).map((each) => {
    const [agreed, differed] = [each.audit!.agreed, each.audit!.differed].map((bins) => bins.map((bin) => 9 * bin));
    return { ...each, audit: { ...each.audit!, agreed: agreed!, differed: differed! } };
  });
  const small = rows(60, oneKey, () => 0.5);
  const shrunk = large.map((each) => ({
    ...each,
    audit: {
      ...each.audit,
      agreed: each.audit.agreed.map((bin) => bin / 9),
      differed: each.audit.differed.map((bin) => bin / 9),
    },
  }));
  expect(judgeOf([...large, ...small]).trust).toBeCloseTo(judgeOf([...shrunk, ...small]).trust!, 9);
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
