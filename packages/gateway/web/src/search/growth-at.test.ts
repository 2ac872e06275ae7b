import { expect, test } from 'vitest';
import type { LoggedEvent } from '../../../../core/src/log/events.ts';
import { Replay } from '../../../../core/src/log/replay.ts';
import { GrowthAt } from './growth-at.ts';

test('is the same for a moment, whether it is reached forwards or backwards', () => {
  const step = { text: 'a', tokens: 4, meanLogprob: 0, end: 'eos' };
  const events = [
    { type: 'planted', aggregation: 'product' },
    { type: 'admitted' },
    { type: 'opened', strand: 0, node: 0 },
    { type: 'asked', strand: 0, node: 0, indices: [1], sampling: { temperature: 1 } },
    { type: 'grown', node: 1, parent: 0, key: 6, index: 1, step, terminal: true },
    { type: 'moved', strand: 0, node: 1 },
    { type: 'closed', strand: 0, closing: 'completed' },
    { type: 'exited', guesses: { byDistance: [{ guessed: 1, right: 0 }], byDepth: [] } },
  ];
  const log = events.map((event, at) => ({ search: 's', sequence: at, atMs: at, event }) as unknown as LoggedEvent);
  const growth = new GrowthAt(log);
  const replay = new Replay(log);
  const seen = [0, 5, 8, 5, 8].map((position) => {
    const { paths, pathMs, byDistance } = growth.at(position, replay.seek(position));
    return [paths, pathMs, byDistance[0]?.guessed];
  });
  expect(seen).toEqual([
    [0, 0, undefined],
    [0, 0, undefined],
    [1, 5, 1],
    [0, 0, undefined],
    [1, 5, 1],
  ]);
});
