// Hand-worked decisions.

import { describe, expect, it } from 'vitest';
import { evenly } from '../base/arithmetic.ts';
import { type Algorithm1Options, algorithm1Scheduler } from './algorithm-1.ts';
import type { RunningSearch, Snapshot, WaitingSearch } from './scheduler.ts';
import { degreeScore, isDoubted, naturalWidths, sharedWidths, shareWidths } from './widths.ts';

const shares = shareWidths({ gate: 1 });
const natural = {
  name: 'test',
  widths: naturalWidths,
} as const;
const boost = { ...natural, widths: shares } as const;

function running(id: string, more: Partial<RunningSearch> = {}): RunningSearch {
  const still = { openStrands: 1, observations: 1, progress: 0, demand: 16, rolloutsLeft: 16 };
  const width = { primary: 1, speculative: 0 };
  return { id, arrivalMs: 0, naturalWidth: 1, width, ...still, ...more };
}

function waiting(id: string, more: Partial<WaitingSearch> = {}): WaitingSearch {
  return { id, turn: 0, naturalWidth: 1, ...more };
}

function decide(options: Algorithm1Options, snapshot: Partial<Snapshot>) {
  const given = { nowMs: 0, budget: 8, waiting: [], running: [], ...snapshot };
  const { admit, widths, preempt, giveUp } = algorithm1Scheduler(options).decide(given);
  const primary = Object.fromEntries([...widths].map(([id, width]) => [id, width.primary]));
  return { admit, widths: primary, preempt: Object.fromEntries(preempt), giveUp: Object.fromEntries(giveUp) };
}

describe('admission', () => {
  it('fills the budget by natural width, in order of turns', () => {
    const queue = [waiting('b', { turn: 2 }), waiting('a', { turn: 1, naturalWidth: 5 }), waiting('c')];
    expect(decide(natural, { waiting: queue, budget: 6 }).admit).toEqual(['c', 'a']);
    expect(decide(natural, { waiting: queue, budget: 7 }).admit).toEqual(['c', 'a', 'b']);
  });

  it('does not let a narrow search overtake a wide one that waits for room', () => {
    const queue = [waiting('wide', { naturalWidth: 8 }), waiting('narrow', { turn: 1 })];
    expect(decide(natural, { waiting: queue, running: [running('x')] }).admit).toEqual([]);
  });

  it('runs a search wider than the budget alone', () => {
    const decision = decide(natural, { waiting: [waiting('vast', { naturalWidth: 100 }), waiting('next')] });
    expect(decision).toEqual({ admit: ['vast'], widths: { vast: 8 }, preempt: {}, giveUp: {} });
  });

  it('gives up only the searches that cannot be done in time behind those before them', () => {
    // One strand, held for 10 s in the mean: the first waits 10 s, the second 20 s; each then needs 8 s.
    const pace = { meanMs: 10_000, medianMs: 8_000 };
    const queue = [
      waiting('second', { turn: 2, deadlineAtMs: 27_000 }),
      waiting('first', { turn: 1, deadlineAtMs: 18_000 }),
      waiting('patient', { turn: 3 }),
    ];
    const giveUp = (nowMs: number, given = queue) =>
      decide(natural, { budget: 1, running: [running('x')], waiting: given, nowMs, pace }).giveUp;
    expect(giveUp(0)).toEqual({ second: { expectedWaitMs: 20_000, serviceMs: 8_000, leftMs: 27_000 } });
    // A search that is given up delays no other: the second becomes the first.
    expect(Object.keys(giveUp(1))).toEqual(['first']);
    expect(giveUp(0, queue.slice(1))).toEqual({});
  });
});

describe('widths', () => {
  it('stay natural without boosting, and no wider than a search can use', () => {
    const beam = running('beam', { naturalWidth: 4, openStrands: 4 });
    const ending = running('ending', { naturalWidth: 4, openStrands: 1, demand: 1 });
    expect(decide(natural, { running: [beam, ending] }).widths).toEqual({ beam: 4, ending: 1 });
  });

  it('share what is left by score: log(1 + seconds), rounded down, the rest by rank', () => {
    // S = log 8 and log 2, 3 to 1. Of 16 - 2 = 14 strands: 10.5 and 3.5, so 10 and 3; the last one goes to the older.
    const pair = [running('young', { arrivalMs: 6000 }), running('old')];
    expect(decide(boost, { running: pair, nowMs: 7000, budget: 16 }).widths).toEqual({ young: 4, old: 12 });
  });

  it('keep a search below the gate serial, and cap the others by their demand', () => {
    const trio = [running('new', { observations: 0 }), running('few', { demand: 2 }), running('many', { demand: 4 })];
    expect(decide(boost, { running: trio, nowMs: 1000, budget: 16 }).widths).toEqual({ new: 1, few: 2, many: 4 });
  });

  it('leave a search alone whose first rollout may still be accepted, where boosts wait for a doubt', () => {
    const pair = [running('hopeful', { observations: 0, hopeful: true }), running('doubtful', { observations: 0 })];
    const by = (widths: typeof naturalWidths) => decide({ ...boost, widths }, { running: pair, nowMs: 1000 }).widths;
    expect(by(sharedWidths(isDoubted))).toEqual({ hopeful: 1, doubtful: 7 });
    expect(by(shareWidths({ gate: 0 }))).toEqual({ hopeful: 4, doubtful: 4 });
  });

  it('give the search that is near acceptance the larger share', () => {
    const pair = [running('far', { progress: 0.9 }), running('near', { progress: 0.91 })];
    const { widths } = decide(boost, { running: pair, nowMs: 1000, budget: 18 });
    // S = log 2 and log 2 + 2: of 16 strands 3.27 and 12.73, so 3 and 12; the last one goes to the near one.
    expect(widths).toEqual({ far: 4, near: 14 });
  });

  it('are dealt out evenly when every score is 0', () => {
    expect(decide(boost, { running: [running('a'), running('b'), running('c')] }).widths).toEqual({ a: 3, b: 3, c: 2 });
  });
});

describe('the score', () => {
  it('is log(1 + Δt) in seconds, plus β past 0.9', () => {
    const at = (progress: number) => degreeScore(running('a', { progress }), 6389);
    expect(at(0.9)).toBeCloseTo(Math.log(7.389), 12);
    expect(at(0.901)).toBeCloseTo(Math.log(7.389) + 2, 12);
  });
});

describe('preemption', () => {
  const full = [running('a', { openStrands: 5 }), running('b', { openStrands: 3, arrivalMs: 900 })];

  it('takes back only what an arrival needs, from the lowest score above its target', () => {
    const decision = decide(boost, { running: full, waiting: [waiting('new', { turn: 1 })], nowMs: 1000 });
    // Targets after admission: a 1 + 4 of 5 and one left over, b 1, new 1. b holds 3 and gives one up.
    expect(decision).toEqual({ admit: ['new'], widths: { a: 5, b: 1, new: 1 }, preempt: { b: 1 }, giveUp: {} });
  });

  it('lets shares shift only as strands end', () => {
    expect(decide(boost, { running: full, nowMs: 1000 })).toMatchObject({ widths: { a: 5, b: 1 }, preempt: {} });
  });
});

describe('who goes first', () => {
  const snapshot = {
    running: [running('a', { openStrands: 1 }), running('b', { openStrands: 1 })],
    waiting: [waiting('c'), waiting('d')],
    nowMs: 1000,
  };

  it('is the waiting: they come in, the running share the rest', () => {
    expect(decide(boost, snapshot)).toEqual({
      admit: ['c', 'd'],
      widths: { a: 3, b: 3, c: 1, d: 1 },
      preempt: {},
      giveUp: {},
    });
  });
});

describe('evenly', () => {
  it.each([
    [[5, 5, 5], 7, [3, 2, 2]],
    [[1, 9, 2], 8, [1, 5, 2]],
    [[0, 3], 10, [0, 3]],
    [[], 4, []],
    [[2, 2], 0, [0, 0]],
  ])('deals into rooms %j of %i units: %j', (rooms, units, expected) => {
    expect(evenly(rooms, units)).toEqual(expected);
  });
});

describe('speculative widths', () => {
  const ahead = (options: Algorithm1Options, snapshot: Partial<Snapshot>) => {
    const guessing = { chances: [0.5], squeezed: false };
    const given = { nowMs: 0, budget: 8, waiting: [], running: [], guessing, ...snapshot };
    const { widths } = algorithm1Scheduler({ ...options, speculate: 3 }).decide(given);
    return Array.from(widths.values(), ({ primary, speculative }) => [primary, speculative]);
  };

  const guesses = { capacity: 99, open: 0, made: 0, right: 0, kvTokens: 0 };
  const guesser = (id: string, more: Partial<RunningSearch> = {}) => running(id, { guesses, ...more });

  it('are what is idle after admission, and no more than the knob says', () => {
    expect(ahead(natural, { running: [guesser('a')] })).toEqual([[1, 3]]);
    expect(ahead(natural, { running: [running('a')] })).toEqual([[1, 0]]);
    expect(ahead(natural, { running: [guesser('a'), guesser('b'), guesser('c')] })).toEqual([
      [1, 2],
      [1, 2],
      [1, 1],
    ]);
    expect(ahead(natural, { waiting: [waiting('new')] })).toEqual([[1, 3]]);
  });

  it('go to arriving searches, and to boosts, before any search speculates', () => {
    const queue = Array.from({ length: 9 }, (_, at) => waiting(`w${at}`));
    expect(ahead(natural, { running: [guesser('a')], waiting: queue })).toEqual(Array(8).fill([1, 0]));
    expect(ahead(boost, { running: [guesser('a', { demand: 6 })] })).toEqual([[6, 2]]);
  });

  it('are none while a search waits, even for a width that does not fit, or for memory', () => {
    const wide = [waiting('wide', { naturalWidth: 8 })];
    expect(ahead(natural, { running: [guesser('a')], waiting: wide })).toEqual([[1, 0]]);
    const squeezed = { guessing: { chances: [0.5], squeezed: true } };
    expect(ahead(natural, { running: [guesser('a')], ...squeezed })).toEqual([[1, 0]]);
  });

  it('leave alone what others still hold', () => {
    const snapshot = { running: [guesser('wide', { openStrands: 7, demand: 1 }), guesser('b')] };
    expect(ahead(natural, snapshot)).toEqual([
      [1, 0],
      [1, 0],
    ]);
  });
});
