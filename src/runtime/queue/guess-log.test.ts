import { expect, it } from 'vitest';
import { GuessLog } from './guess-log.ts';
import { GuessMeter } from './guess-meter.ts';

it('counts a guess as right when it is asked for, and one that was taken back not at all', () => {
  const guesses = new GuessLog();
  for (const draw of [1, 2, 3]) guesses.add(draw, 1);
  guesses.add(4, 2);
  guesses.asked(1);
  guesses.asked(1);
  guesses.asked(99);
  guesses.withdrawn(2);
  guesses.withdrawn(1);
  expect(guesses.byRank).toEqual([
    { made: 2, right: 1 },
    { made: 1, right: 0 },
  ]);
  expect(guesses.total).toEqual({ made: 3, right: 1 });
});

it('expects of a guess what guesses of its rank were worth, and never more of a later one', () => {
  const meter = new GuessMeter();
  expect(meter.chances).toEqual([0.7]);
  const tally = (made: number, right: number) => ({ made, right });
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
  meter.ended([{ made: 0, right: 0 }]);
  expect(meter.chances).toEqual([0.7]);
});
