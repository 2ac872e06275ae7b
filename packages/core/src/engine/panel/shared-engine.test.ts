// Two runtimes that number their requests alike, on one engine.

import { expect, test } from 'vitest';
import { generateRequest } from '../../../../../tests/support/requests.ts';
import { ScriptedEngine } from '../../../../../tests/support/scripted-engine.ts';
import type { EngineMessage } from '../engine.ts';
import { SharedEngine } from './shared-engine.ts';

test('each gets the answers to what it asked, under its own numbers, and closes nothing', async () => {
  const engine = new ScriptedEngine({ held: true });
  const shared = new SharedEngine(engine);
  const [first, second] = [shared.attach(), shared.attach()];
  const heard: string[] = [];
  const hear = (who: string) => (message: EngineMessage) => {
    heard.push(`${who} ${message.type} ${message.request}`);
  };
  first.connect(hear('first'));
  second.connect(hear('second'));
  first.generate([generateRequest(1, { expansion: 1 }), generateRequest(2, { expansion: 1 })]);
  second.generate([generateRequest(1, { expansion: 1 })]);
  const asked = engine.asked.map(({ id, expansion }) => [id, expansion]);
  expect(new Set(asked.map(([id]) => id)).size).toBe(3);
  expect(asked.map(([, expansion]) => expansion)).toEqual([asked[0]![0], asked[0]![0], asked[2]![0]]);
  expect(engine.asked.map(({ search }) => search)).toEqual(['search', 'search', '1:search']);
  second.cancel([1]);
  second.cancel([1, 9]);
  first.cancel([2]);
  expect(heard).toEqual(['second fault 1', 'first fault 2']);
  await second.close();
  expect(engine.closed).toBe(false);
});
