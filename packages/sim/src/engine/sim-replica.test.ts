// P4 §4.1.2: speculation is a second phase, and stops as soon as another sequence needs its place or memory.

import { expect, it } from 'vitest';
import { type CostModel, decodeMs } from '../../../core/src/cost/cost.ts';
import { tableCost } from '../../../core/src/cost/table.ts';
import type { GenerateRequest, Lane } from '../../../core/src/engine/engine.ts';
import { rootKey } from '../../../core/src/tree/keys.ts';
import type { Step } from '../../../core/src/tree/step.ts';
import { llama8b } from './h200.ts';
import { SimReplica } from './sim-replica.ts';
import { World } from './world.ts';

const cost = tableCost(llama8b);

function setUp(options: { sequenceLimit: number; kvTokens: number; cost?: CostModel }) {
  const world = new World();
  const ends = new Map<number, number>();
  const replica = new SimReplica(world, { cost, prefillTokens: 4096, ...options }, ({ request }) =>
    ends.set(request, world.nowMs),
  );
  const ask = (id: number, lane: Lane, tokens: number) => {
    const step: Step = { text: `${id}`, tokens, meanLogprob: 0, end: 'delimiter' };
    const place = {
      search: `${id}`,
      prompt: { kind: 'text', text: 'q' },
      parent: rootKey,
      path: [],
      index: 0,
    } as const;
    const how = { sampling: { temperature: 1 }, seed: id, delimiters: ['\n'], maxTokens: tokens, priority: 0, lane };
    replica.enqueue({ id, ...place, ...how } as GenerateRequest, step, 16);
  };
  return { world, ends, ask, run: () => world.run(() => {}) };
}

it('makes way for a newcomer within one decode step where the batch is full', () => {
  const { world, ends, ask, run } = setUp({ sequenceLimit: 2, kvTokens: 10_000 });
  for (const id of [1, 2]) ask(id, 'speculative', 500);
  const longestStepMs = decodeMs(cost, 2, 2 * 600);
  world.at(100, () => ask(3, 'primary', 1));
  run();
  // The current step, then its own prefill and one token.
  expect(ends.get(3)! - 100).toBeLessThan(2 * longestStepMs + 8);
  expect(ends.get(1)).toBeLessThan(ends.get(2)!);
});

it('gives up its memory before any primary sequence does', () => {
  const withSpeculation = (lanes: readonly Lane[]) => {
    const { ends, ask, run } = setUp({ sequenceLimit: 8, kvTokens: 600 });
    for (const [id, lane] of lanes.entries()) ask(id, lane, 240);
    run();
    return ends;
  };
  const alone = withSpeculation(['primary', 'primary']);
  const beside = withSpeculation(['primary', 'speculative', 'primary', 'speculative']);
  // Both primary sequences end together, neither computed twice; a batch of four is a little slower than one of two.
  expect(beside.get(0)).toBe(beside.get(2));
  expect(beside.get(0)! / alone.get(0)!).toBeLessThan(1.1);
  expect(beside.get(1)).toBeGreaterThan(beside.get(0)!);
});

it('keeps the others waiting for each sequence that joins', () => {
  const endsWith = (model: CostModel) => {
    const { world, ends, ask, run } = setUp({ sequenceLimit: 8, kvTokens: 10_000, cost: model });
    ask(1, 'primary', 200);
    world.at(100, () => ask(2, 'primary', 300));
    world.at(200, () => [3, 4].map((id) => ask(id, 'primary', 300)));
    run();
    return ends;
  };
  const [plain, slower] = [endsWith(cost), endsWith({ ...cost, joinMs: 5 })];
  // Its own join, the second's, and two at once.
  expect(slower.get(1)! - plain.get(1)!).toBeCloseTo(4 * 5, 0);
});
