import { describe, expect, it } from 'vitest';
import { Random } from '../base/random.ts';
import { auditSamples } from '../tree/readings/audit.ts';
import type { BranchAudit } from '../tree/readings/branching.ts';
import { JudgeAudits, judgeSentence } from './agreement.ts';
import { branchSentence, branchWorth } from './branch-worth.ts';

/** Votes in which a fresh draw is right with a chance of the question's own, and one below `better` times as often; `alike` of them repeat the first. */
function audits(count: number, { better = 1, alike = 0, cost = 0.5 }, seed = 1): BranchAudit[] {
  const random = new Random('branch worth', seed);
  return Array.from({ length: count }, () => {
    const chance = 0.2 + 0.5 * random.uniform();
    const draws = (share: number, most: number) => Array.from({ length: most }, () => Number(random.uniform() < share));
    const [first] = draws(Math.min(1, better * chance), 1) as [number];
    const below = draws(Math.min(1, better * chance), 3).map((each) => (random.uniform() < alike ? first : each));
    const fresh = draws(chance, 3).reduce((sum, each) => sum + each / 3, 0);
    const own = below.reduce((sum, each) => sum + each / 3, 0);
    const both = (share: number) => (share * (3 * share - 1)) / 2;
    const together = { bothFresh: both(fresh), bothBelow: both(own), oneOfEach: own * fresh };
    return { fresh, below: own, ...together, tokens: [300 * cost, 300] };
  });
}

describe('the worth of going on from a middle', () => {
  it('is that of its chance over its cost where draws there repeat nothing', () => {
    const { worth, pays } = branchWorth(audits(4000, { better: 1.1 }));
    expect(worth).toBeGreaterThan(1.9);
    expect(worth).toBeLessThan(2.5);
    expect(pays).toBe(true);
  });

  it('falls with what they repeat, and pays only where that is sure', () => {
    const same = branchWorth(audits(4000, { alike: 0.9 }));
    expect(same.worth).toBeLessThan(0.8);
    expect(same.pays).toBe(false);
    const even = Array.from({ length: 20 }, (_, seed) => branchWorth(audits(200, { cost: 1 }, seed)));
    expect(even.filter(({ pays }) => pays).length).toBeLessThan(4);
  });

  it('is unknown below 100 searches, and where nothing was right', () => {
    expect(branchWorth(audits(99, {}))).toEqual({ searches: 99, pays: false });
    const none: BranchAudit = { fresh: 0, below: 0, bothFresh: 0, bothBelow: 0, oneOfEach: 0, tokens: [1, 2] };
    const unknown = branchWorth(Array<BranchAudit>(200).fill(none));
    expect(unknown).toEqual({ searches: 200, pays: false });
    expect(branchSentence(unknown)).toBe('whether branching pays is unknown: 200 searches tell nothing');
  });
});

it('each key knows its own searches, and all are told of the key that has most', () => {
  const audit = auditSamples([...'aaabb'].map((meaning) => ({ meaning, score: meaning === 'a' ? 0.8 : 0.3 })))!;
  const rows = (owner: string, of: BranchAudit[]) =>
    of.map((branched) => ({ owner, audit: { ...audit, pairs: 0, branched } }));
  const known = new JudgeAudits([
    ...rows('liar', audits(400, { better: 2 })),
    ...rows('ann', audits(100, { alike: 0.9 })),
  ]);
  expect([known.for('liar').branching?.pays, known.for('ann').branching?.pays, known.for('bob').branching]).toEqual([
    true,
    false,
    undefined,
  ]);
  expect(known.judge).toMatchObject({ questions: 0, branching: { searches: 400 } });
  expect(judgeSentence(known.for('ann'))).toMatch(
    /; going on from another sample's middle is worth 0\.\d\d of a fresh one in 100 searches, so votes do not branch$/,
  );
  expect(branchSentence({ searches: 3, pays: false })).toBe(
    'whether branching pays is unknown: 3 of 100 searches so far',
  );
});
