import { expect, it } from 'vitest';
import { ChangeMeter } from './change-meter.ts';

it('says what share of later rollouts changed an answer, by kind, once there were enough', () => {
  const meter = new ChangeMeter();
  meter.ended('mcts 16', 17, 4);
  expect(meter.share('mcts 16')).toBeUndefined();
  for (const _ of [1, 2, 3]) meter.ended('mcts 16', 17, 4);
  expect(meter.share('mcts 16')).toBeCloseTo(0.25, 12);
  expect(meter.share('beam 8')).toBeUndefined();
});

it('learns nothing from searches of one rollout, and forgets old ones', () => {
  const meter = new ChangeMeter();
  for (let each = 0; each < 100; each += 1) meter.ended('mcts 16', 1, 0);
  expect(meter.share('mcts 16')).toBeUndefined();
  for (let each = 0; each < 100; each += 1) meter.ended('mcts 16', 17, 16);
  for (let each = 0; each < 1000; each += 1) meter.ended('mcts 16', 17, 0);
  expect(meter.share('mcts 16')).toBeLessThan(0.01);
});
