// What pruning does to a search: it goes on elsewhere, stays within its rollouts, and ends with a completed answer. Run by
// the real runtime in the toy world.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../src/log/events.ts';
import { createPolicy } from '../../src/policy/create.ts';
import type { PolicyOptions } from '../../src/policy/knobs.ts';
import { createMcts } from '../../src/program/mcts/mcts.ts';
import { selectLeaf } from '../../src/program/mcts/selection.ts';
import type { SearchResult } from '../../src/runtime/request.ts';
import { Runtime } from '../../src/runtime/runtime.ts';
import { ToyEngine, ToyVerifier, ToyWorld } from '../support/toy.ts';
import { openAt, treeOf } from '../support/trees.ts';

function search(seed: number, options: Partial<PolicyOptions>) {
  const world = new ToyWorld();
  const log: LoggedEvent[] = [];
  const ended: SearchResult[] = [];
  const { rules, scheduler } = createPolicy('boost', options);
  const runtime = new Runtime({
    ...{ engine: new ToyEngine(world), verifier: new ToyVerifier(world), scheduler, budget: 6, clock: world.clock },
    onEvent: (event) => log.push(event),
    onEnd: (result) => ended.push(result),
  });
  for (const id of ['a', 'b', 'c']) {
    runtime.submit({
      ...{ id, prompt: { kind: 'text', text: id }, program: createMcts({ rollouts: 12 }), rules },
      ...{ limits: { threshold: 0.9, rollouts: 12 }, seed: seed * 3 + id.charCodeAt(0), priority: 0 },
      ...{ delimiters: ['\n'], maxStepTokens: 64, extract: (text: string) => text.slice(-3) },
    });
  }
  world.run(runtime);
  return { log, ended };
}

describe('pruning', () => {
  it('sends the next rollout elsewhere', () => {
    const tree = treeOf('product', [{ reward: 0.4 }, { reward: 0.3 }]);
    const first = selectLeaf(tree.root, 'puct', 1)!;
    tree.record({ type: 'closed', strand: openAt(tree, first), closing: 'pruned' });
    expect(first).toMatchObject({ visits: 1, value: first.score });
    expect(selectLeaf(tree.root, 'puct', 1)).not.toBe(first);
  });

  it('leaves every search with a completed answer, within its rollouts', () => {
    let pruned = 0;
    const anyOptions = fc.constantFrom<Partial<PolicyOptions>>(
      { boundPrune: 'best' },
      { boundPrune: 'threshold' },
      { chancePrune: 0.3 },
      { boundPrune: 'best', chancePrune: 0.1, first: 'boost', preemption: 'eager' },
    );
    fc.assert(
      fc.property(fc.nat(10_000), anyOptions, (seed, options) => {
        const { log, ended } = search(seed, options);
        expect(ended.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']);
        for (const { id, answer } of ended) {
          expect(answer?.complete).toBe(true);
          const closings = log.flatMap(({ search: at, event }) =>
            at === id && event.type === 'closed' ? [event.closing] : [],
          );
          const used = closings.filter((closing) => closing === 'completed' || closing === 'pruned');
          expect(used.length).toBeLessThanOrEqual(12);
          pruned += closings.filter((closing) => closing === 'pruned').length;
        }
      }),
      { numRuns: 60 },
    );
    expect(pruned).toBeGreaterThan(100);
  });
});
