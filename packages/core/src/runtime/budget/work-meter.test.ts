import { expect, it } from 'vitest';
import { Queue } from '../queue/queue.ts';
import type { Search } from '../search/search.ts';
import { Leases } from './leases.ts';
import { WorkMeter, workKind } from './work-meter.ts';

const took = (seconds: number) => ({ seconds, tokens: 100 * seconds, steps: 10, rollouts: 4, pathTokens: 50 });
const done = { tokens: 0, steps: 0, rollouts: 0, pathTokens: 0, paths: 0, rolloutsLeft: 4 };

it('expects of a search what others of its kind took lately, and of a new kind what all took', () => {
  const meter = new WorkMeter();
  expect(meter.estimate('chain 1')).toBeUndefined();
  for (let at = 0; at < 200; at += 1) {
    meter.ended('mcts 4', took(2));
    meter.ended('mcts 64', took(at < 100 ? 10 : 60));
  }
  expect(meter.estimate('mcts 4')).toBeCloseTo(2, 9);
  expect(meter.estimate('mcts 64')).toBeCloseTo(60, 0);
  expect(meter.estimate('beam 8')).toBeGreaterThan(2);
});

/** A queue that has served short and long searches, 2 and 60 s each. */
function experienced(name: 'fcfs' | 'sjf') {
  const order = { name, readsWork: name === 'sjf' };
  const queue = new Queue(new Leases(4), { order }, () => {});
  const served = (id: string, kind: string, seconds: number) => {
    const search = {
      id,
      kind,
      naturalWidth: 1,
      isIdle: false,
      fold: { changes: 0 },
      done: () => done,
    } as unknown as Search;
    queue.take(id, { arrivalMs: 0, priority: 0, seats: 1, kind });
    queue.add(search);
    queue.serve(search);
    queue.remove(search, true, seconds * 1000);
  };
  served('a', workKind('mcts', 4), 2);
  served('b', workKind('mcts', 64), 60);
  return (id: string, kind: string, arrivalSeconds: number) =>
    queue.take(id, { arrivalMs: 1000 * arrivalSeconds, priority: 0, seats: 1, kind });
}

it('lets the shorter go first, until the longer has waited for what it is longer', () => {
  const turn = experienced('sjf');
  const long = turn('long', 'mcts 64', 100);
  expect(turn('soon', 'mcts 4', 157)).toBeLessThan(long);
  expect(turn('late', 'mcts 4', 159)).toBeGreaterThan(long);
  expect(turn('same', 'mcts 64', 101)).toBeGreaterThan(long);
});

it('goes by arrival where the order is fcfs', () => {
  const turn = experienced('fcfs');
  expect(turn('long', 'mcts 64', 100)).toBeLessThan(turn('short', 'mcts 4', 101));
});
