import { expect, it } from 'vitest';
import { GuessLog } from '../search/guess-log.ts';
import { GuessMeter } from './guess-meter.ts';

it('counts a guess as right when it is asked for, and by rank one that had to yield as lost, unless at once', () => {
  const guesses = new GuessLog();
  for (const draw of [1, 2, 3]) guesses.add(draw, { rank: 1, distance: draw, depth: 4, madeMs: 0 });
  for (const draw of [4, 5]) guesses.add(draw, { rank: 2, distance: 1, depth: 5, madeMs: 7 });
  guesses.asked(1);
  guesses.asked(1);
  guesses.asked(99);
  guesses.withdrawn(2, 7);
  guesses.withdrawn(1, 7);
  guesses.withdrawn(5, 7);
  guesses.asked(2);
  expect(guesses.byRank).toEqual([
    { guessed: 3, right: 1 },
    { guessed: 1, right: 0 },
  ]);
  expect(guesses.byDistance).toEqual([
    { guessed: 2, right: 1 },
    { guessed: 0, right: 0 },
    { guessed: 1, right: 0 },
  ]);
  expect(guesses.byDepth.slice(3)).toEqual([
    { guessed: 2, right: 1 },
    { guessed: 1, right: 0 },
  ]);
  expect(guesses.total).toEqual({ guessed: 4, right: 1 });
});

it('expects of a guess what guesses of its rank were worth, and never more of a later one', () => {
  const meter = new GuessMeter();
  expect(meter.chances).toEqual([0.7]);
  const tally = (guessed: number, right: number) => ({ guessed, right });
  for (let search = 0; search < 200; search += 1) meter.ended([tally(10, 8), tally(10, 3), tally(10, 6)]);
  const [first, second, third] = meter.chances;
  expect(first).toBeCloseTo(0.8, 2);
  expect(second).toBeCloseTo(0.3, 1);
  expect(third).toBe(second);
  for (let search = 0; search < 200; search += 1) meter.ended([tally(10, 1), tally(0, 0), tally(0, 0)]);
  expect(meter.chances[0]).toBeLessThan(0.15);
});

it('learns nothing from searches that guessed nothing', () => {
  const meter = new GuessMeter();
  meter.ended([]);
  meter.ended([{ guessed: 0, right: 0 }]);
  expect(meter.chances).toEqual([0.7]);
});
