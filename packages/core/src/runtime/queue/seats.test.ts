import { expect, test } from 'vitest';
import { Seats } from './seats.ts';

test('a part that shrinks takes nothing from those who run, and is reached as they end', () => {
  const seats = new Seats(64);
  seats.take('wide', 40);
  seats.take('narrow', 24);
  seats.allow(32);
  expect(seats.budget(0)).toBe(64);
  seats.give('narrow');
  expect(seats.budget(0)).toBe(40);
  expect(seats.budget(3)).toBe(43);
  seats.give('wide');
  expect(seats.budget(0)).toBe(32);
});

test('a search that is wider than the part runs as wide as that, and widens with it', () => {
  const seats = new Seats(64);
  seats.allow(16);
  seats.take('wide', 40);
  expect(seats.held).toBe(16);
  seats.allow(64);
  expect(seats.held).toBe(40);
  seats.allow(16);
  expect(seats.budget(0)).toBe(40);
});

test('a search that comes to its end leaves what it cannot use any more', () => {
  const seats = new Seats(64);
  seats.take('ending', 40);
  seats.need('ending', 7);
  seats.need('ending', 20);
  seats.allow(32);
  seats.allow(64);
  expect(seats.held).toBe(7);
  seats.need('ending', 0);
  expect(seats.held).toBe(1);
  seats.give('ending');
  expect(seats.held).toBe(0);
});
