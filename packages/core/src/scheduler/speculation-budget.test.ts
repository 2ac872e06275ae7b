// Hand-worked shares of speculation: how many strands in all, and who gets them.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cycleOf, type Servers } from '../cost/closed-loop.ts';
import { type AheadPlace, type SearchGuesses, scoreAhead, sharesAhead, totalAhead } from './speculation-budget.ts';

function servers(engine: [number, number], verifier?: [number, number], perStrand = 4): Servers {
  const facts = ([baseMs, slopeMs]: [number, number]) => {
    const line = { baseMs, slopeMs };
    return { line, steady: line };
  };
  return { engine: facts(engine), ...(verifier && { verifier: facts(verifier) }), perStrand, overTime: perStrand };
}

/** One search alone on 16 strands. */
function place(measured: Servers | undefined, more: Partial<AheadPlace> = {}): AheadPlace {
  return { primary: 1, idle: 15, searches: 1, open: 0, servers: measured, ...more };
}

function guesses(more: Partial<SearchGuesses> = {}): SearchGuesses {
  return { capacity: 4, open: 0, made: 0, right: 0, kvTokens: 0, ...more };
}

const half = [0.5, 0.5, 0.5, 0.5];

describe('strands that are worth it in all', () => {
  it('are all that are idle where another strand makes no round longer', () => {
    expect(totalAhead(place(servers([400, 0], [20, 0])), half)).toBe(15);
  });

  it('are none where every strand makes the round of all longer by as much as it adds', () => {
    expect(totalAhead(place(servers([0, 100])), half)).toBe(0);
  });

  it('are none where all searches wait for the reward model, however idle the generator is', () => {
    expect(totalAhead(place(servers([300, 0], [20, 0])), half)).toBe(15);
    expect(totalAhead(place(servers([300, 0], [20, 400])), half)).toBe(0);
  });

  it('are fewer where guesses are wrong more often, and none where they never are right', () => {
    const measured = servers([400, 10], [20, 2]);
    const totals = [0.9, 0.6, 0.3, 0].map((chance) => totalAhead(place(measured), [chance]));
    expect(totals).toEqual([...totals].sort((a, b) => b - a));
    expect(totals[0]).toBeGreaterThan(totals[2]!);
    expect(totals[3]).toBe(0);
  });

  it('are those up to the ridge of a roofline where nothing was measured', () => {
    expect(totalAhead(place(undefined), half)).toBe(15);
    expect(totalAhead(place(undefined, { primary: 40, idle: 88, searches: 40 }), half)).toBe(8);
    expect(totalAhead(place(undefined, { primary: 60, idle: 68, searches: 60 }), half)).toBe(0);
    expect(totalAhead(place(undefined, { ridgeSequences: 4 }), half)).toBe(0);
  });

  it('stay what they are while they are worth it at all, and grow only where they are clearly worth it', () => {
    const measured = servers([400, 25], [20, 2]);
    const begun = totalAhead(place(measured), half);
    const kept = totalAhead(place(measured, { open: 15 }), half);
    expect(kept).toBeGreaterThan(begun);
    expect(totalAhead(place(measured, { open: begun + 1 }), half)).toBe(begun + 1);
  });

  it('are weighed by steady lines: that the load was even of late makes no guess free', () => {
    const { engine, ...measured } = servers([100, 10]);
    const even = { ...measured, engine: { ...engine, line: { baseMs: 500, slopeMs: 0 } } };
    expect(totalAhead(place(even), half)).toBe(totalAhead(place(servers([100, 10])), half));
    expect(totalAhead(place(even), half)).toBeLessThan(totalAhead(place(servers([500, 0])), half));
  });

  it('add more work than time: with them the machine does more than without, by its own model', () => {
    const line = fc.tuple(fc.double({ min: 1, max: 500, noNaN: true }), fc.double({ min: 0, max: 100, noNaN: true }));
    fc.assert(
      fc.property(
        line,
        line,
        fc.integer({ min: 1, max: 30 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (g, v, primary, chance) => {
          const measured = servers(g, v);
          const more = totalAhead({ primary, idle: 30, searches: primary, open: 0, servers: measured }, [chance]);
          const rate = (ahead: number) => (primary + chance * ahead) / roundOf(measured, primary + ahead);
          expect(rate(more)).toBeGreaterThanOrEqual(rate(0) * (1 - 1e-9));
        },
      ),
    );
  });
});

describe('shares between searches', () => {
  it('follow capacity times hit rate times what is shared (Eq. 1), by a softmax (Eq. 2)', () => {
    const [sure, unsure] = [guesses({ made: 64, right: 64 }), guesses({ made: 64, right: 0 })];
    expect(scoreAhead(sure, 0.5)).toBeCloseTo((4 * 72) / 80, 9);
    expect(scoreAhead(guesses({ kvTokens: 12_000 }), 0.5)).toBeCloseTo(2.2, 9);
    expect(sharesAhead([unsure, sure], 0.5, 5)).toEqual([1, 4]);
    expect(sharesAhead([unsure, sure], 0.5, 3)).toEqual([0, 3]);
  });

  it('are never more than a search can use, and leave nothing over that another can', () => {
    expect(sharesAhead([guesses({ capacity: 1 }), guesses({ capacity: 0 }), guesses()], 0.5, 16)).toEqual([1, 0, 4]);
    expect(sharesAhead([guesses(), guesses(), guesses()], 0.5, 2)).toEqual([1, 1, 0]);
    expect(sharesAhead([], 0.5, 2)).toEqual([]);
  });

  it('leave a search what it has begun while there is enough for all, and take it back where there is not', () => {
    const begun = guesses({ open: 3, made: 64, right: 0 });
    const sure = guesses({ made: 64, right: 64 });
    expect(sharesAhead([begun, sure], 0.5, 6)).toEqual([3, 3]);
    expect(sharesAhead([begun, sure], 0.5, 2)).toEqual([2, 0]);
  });
});

function roundOf(measured: Servers, strands: number): number {
  const { stepMs, scoreMs } = cycleOf(measured, strands);
  return stepMs + scoreMs;
}
