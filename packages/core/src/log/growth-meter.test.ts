import { expect, test } from 'vitest';
import { formKey } from '../tree/keys.ts';
import type { LoggedEvent } from './events.ts';
import { SearchFold } from './fold.ts';
import { GrowthMeter, goodput } from './growth-meter.ts';

const step = (tokens: number) => ({ text: 'a', tokens, meanLogprob: 0, end: 'delimiter' }) as const;
const sampling = { temperature: 1 };

function metered() {
  const meter = new GrowthMeter();
  const fold = new SearchFold();
  const say = (event: object, atMs = 0) => {
    const entry = { search: 's', sequence: fold.sequence + 1, atMs, event } as unknown as LoggedEvent;
    fold.apply(entry);
    meter.read(entry, fold);
  };
  return { meter, say, fold };
}

test('guesses are what searches say of them at their end, added up by distance and by depth', () => {
  const { meter, say } = metered();
  const guesses = {
    byDistance: [{ guessed: 4, right: 3 }],
    byDepth: [
      { guessed: 0, right: 0 },
      { guessed: 4, right: 3 },
    ],
  };
  for (let search = 0; search < 2; search += 1) {
    say({ type: 'admitted' });
    expect(meter.total.byDepth).toHaveLength(2 * search);
    say({ type: 'exited', guesses });
  }
  say({ type: 'admitted' });
  say({ type: 'exited' });
  expect(meter.total.byDistance).toEqual([{ guessed: 8, right: 6 }]);
  expect(meter.total.byDepth).toEqual([
    { guessed: 0, right: 0 },
    { guessed: 8, right: 6 },
  ]);
});

test('goodput is the mean tokens of completed paths over the mean time since admission, ghosts included', () => {
  const { meter, say, fold } = metered();
  const ghost = { type: 'ghosted', key: 8, parentKey: 7, index: 0, step: step(5), form: formKey(sampling) };
  say({ type: 'planted', aggregation: 'product' });
  say({ type: 'admitted' }, 1000);
  say({ type: 'opened', strand: 0, node: 0 });
  say({ type: 'asked', strand: 0, node: 0, indices: [0], sampling });
  say({ type: 'grown', node: 1, parent: 0, key: 7, index: 0, step: step(30), terminal: false });
  say({ type: 'moved', strand: 0, node: 1 });
  say({ ...ghost, terminal: true });
  say({ type: 'asked', strand: 0, node: 1, indices: [0], sampling });
  say({ type: 'adopted', node: 2, parent: 1, index: 0 });
  say({ type: 'moved', strand: 0, node: 2 });
  say({ type: 'closed', strand: 0, closing: 'completed' }, 3000);
  say({ type: 'opened', strand: 1, node: 1 });
  say({ type: 'closed', strand: 1, closing: 'pruned' }, 4000);
  expect(meter.total).toMatchObject({ paths: 1, pathTokens: 35, pathMs: 2000 });
  expect(goodput(meter.total)).toBe(17.5);
  say({ type: 'opened', strand: 2, node: 2 });
  say({ type: 'exited' });
  say({ type: 'closed', strand: 2, closing: 'completed' }, 9000);
  expect([meter.total.paths, fold.fault]).toEqual([1, undefined]);
  expect(goodput(new GrowthMeter().total)).toBeUndefined();
});
