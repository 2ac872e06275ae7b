import { expect, test } from 'vitest';
import { rootKey } from '../tree/keys.ts';
import type { LoggedEvent } from './events.ts';
import { GrowthMeter, goodput } from './growth-meter.ts';

const step = (tokens: number) => ({ text: 'a', tokens, meanLogprob: 0, end: 'delimiter' }) as const;

function metered() {
  const meter = new GrowthMeter();
  const say = (event: object, atMs = 0) =>
    meter.read({ search: 's', sequence: 0, atMs, event } as unknown as LoggedEvent);
  const ghost = (key: number, parentKey: number, index: number) =>
    say({ type: 'ghosted', key, parentKey, index, step: step(5), form: 0, terminal: false });
  return { meter, say, ghost };
}

test('a ghost is right when it becomes a child, and is counted by its depth and by how far ahead of the tree it was grown', () => {
  const { meter, say, ghost } = metered();
  say({ type: 'admitted' });
  ghost(11, rootKey, 0);
  ghost(12, rootKey, 1);
  ghost(21, 11, 0);
  ghost(22, 12, 0);
  ghost(31, 21, 0);
  say({ type: 'adopted', node: 1, parent: 0, index: 0 });
  say({ type: 'adopted', node: 2, parent: 1, index: 0 });
  ghost(32, 21, 1);
  say({ type: 'adopted', node: 3, parent: 2, index: 5 });
  expect(meter.total.byDistance).toEqual([
    { guessed: 3, right: 1 },
    { guessed: 2, right: 1 },
    { guessed: 1, right: 0 },
  ]);
  expect(meter.total.byDepth).toEqual([
    { guessed: 2, right: 1 },
    { guessed: 2, right: 1 },
    { guessed: 2, right: 0 },
  ]);
});

test('goodput is the mean tokens of completed paths over the mean time since admission, ghosts included', () => {
  const { meter, say, ghost } = metered();
  say({ type: 'admitted' }, 1000);
  say({ type: 'opened', strand: 0, node: 0 });
  say({ type: 'grown', node: 1, parent: 0, key: 7, index: 0, step: step(30) });
  ghost(8, 7, 0);
  say({ type: 'adopted', node: 2, parent: 1, index: 0 });
  say({ type: 'moved', strand: 0, node: 2 });
  say({ type: 'closed', strand: 0, closing: 'completed' }, 3000);
  say({ type: 'opened', strand: 1, node: 1 });
  say({ type: 'closed', strand: 1, closing: 'pruned' }, 4000);
  expect(meter.total).toMatchObject({ paths: 1, pathTokens: 35, pathMs: 2000 });
  expect(goodput(meter.total)).toBe(17.5);
  say({ type: 'exited' });
  say({ type: 'closed', strand: 1, closing: 'completed' }, 9000);
  expect(meter.total.paths).toBe(1);
  expect(goodput(new GrowthMeter().total)).toBeUndefined();
});
