import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../../../core/src/log/events.ts';
import { Player } from './player.ts';

function logOf(times: readonly number[]): LoggedEvent[] {
  return times.map((atMs, sequence) => ({ search: 'a', sequence, atMs, event: { type: 'admitted' } }));
}

describe('the player', () => {
  it('follows the end of a log that grows, until the reader moves', () => {
    const log = logOf([0, 10]);
    const player = new Player(log);
    expect(player.position).toBe(2);
    log.push(...logOf([20, 30]));
    expect(player.position).toBe(4);
    player.seek(1);
    log.push(...logOf([40]));
    expect(player.position).toBe(1);
    player.seek(Number.POSITIVE_INFINITY);
    expect(player.isAtEnd).toBe(true);
  });

  it('plays by the times of the events, and all that happened at once at once', () => {
    const player = new Player(logOf([0, 100, 100, 100, 200]));
    player.speed = 2;
    player.toggle();
    expect(player.position).toBe(0);
    player.advance(40);
    expect([player.position, player.atMs]).toEqual([1, 80]);
    player.advance(10);
    expect(player.position).toBe(4);
    expect(player.advance(1000)).toBe(false);
    expect([player.position, player.isPlaying, player.atMs]).toEqual([5, false, 200]);
  });

  it('pauses where it is and goes on from there', () => {
    const player = new Player(logOf([0, 100, 200, 300]));
    player.speed = 1;
    player.toggle();
    player.advance(150);
    player.toggle();
    expect([player.isPlaying, player.position]).toEqual([false, 2]);
    player.toggle();
    player.advance(100);
    expect(player.position).toBe(3);
  });

  it('finds the last event until a time', () => {
    const player = new Player(logOf([0, 5, 5, 9]));
    for (const [atMs, position] of [
      [0, 1],
      [4, 1],
      [5, 3],
      [8, 3],
      [9, 4],
    ] as const) {
      player.seekTime(atMs);
      expect(player.position).toBe(position);
    }
  });

  it.each([
    [800, 0.1],
    [2000, 0.25],
    [6000, 1],
    [30_000, 2],
    [200_000, 16],
    [9e9, 64],
  ])('plays %d ms at a comfortable speed', (lengthMs, speed) => {
    expect(new Player(logOf([0, lengthMs])).playedSpeed).toBe(speed);
  });
});
