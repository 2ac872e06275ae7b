// What pruning does to a search: it goes on elsewhere, stays within its rollouts, and ends with a completed answer. Run by
// the real runtime in the toy world.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { doomedBy } from '../../packages/core/src/exit/prune.ts';
import { pruneBound } from '../../packages/core/src/exit/prune-bound.ts';
import type { LoggedEvent } from '../../packages/core/src/log/events.ts';
import { createPolicy } from '../../packages/core/src/policy/create.ts';
import type { PolicyOptions } from '../../packages/core/src/policy/knobs.ts';
import { createMcts, mctsDefaults } from '../../packages/core/src/program/mcts/mcts.ts';
import { selectLeaf } from '../../packages/core/src/program/mcts/wu-puct.ts';
import { Runtime } from '../../packages/core/src/runtime/runtime.ts';
import type { SearchResult } from '../../packages/core/src/runtime/search/request.ts';
import { ToyEngine, ToyVerifier, ToyWorld } from '../support/toy.ts';
import { growBelow, openAt, treeOf, viewOf } from '../support/trees.ts';

function search(seed: number, options: Partial<PolicyOptions>) {
  const world = new ToyWorld();
  const log: LoggedEvent[] = [];
  const ended: SearchResult[] = [];
  const { rules, scheduler } = createPolicy('boost', options);
  const runtime = new Runtime({
    engine: new ToyEngine(world),
    verifier: new ToyVerifier(world),
    scheduler,
    budget: 6,
    clock: world.clock,
    onEvent: (event) => log.push(event),
    onEnd: (result) => ended.push(result),
  });
  for (const id of ['a', 'b', 'c']) {
    runtime.submit({
      id,
      prompt: { kind: 'text', text: id },
      program: createMcts({ rollouts: 12 }),
      rules,
      limits: { threshold: 0.9, rollouts: 12 },
      seed: seed * 3 + id.charCodeAt(0),
      priority: 0,
      delimiters: ['\n'],
      stepTokens: 64,
      extract: (text: string) => text.slice(-3),
    });
  }
  world.run(runtime);
  return { log, ended };
}

describe('pruning', () => {
  it('sends the next rollout elsewhere, and ends the search where there is no elsewhere', () => {
    const tree = treeOf('product', [{ reward: 0.4 }, { reward: 0.6 }, { reward: 0.5, end: true }]);
    const [weak, strong] = tree.root.children;
    tree.record({ type: 'closed', strand: openAt(tree, weak!), closing: 'pruned' });
    expect(weak).toMatchObject({ visits: 1, value: 0.4 });
    const doomed = doomedBy([pruneBound('best')], viewOf(tree), true)!;
    expect(selectLeaf(tree.root, mctsDefaults)).toBe(weak);
    expect(selectLeaf(tree.root, mctsDefaults, { doomed })).toBe(strong);
    growBelow(tree, strong!, [{ reward: 0.9, end: true }, { reward: 0.8 }]);
    expect(
      selectLeaf(tree.root, mctsDefaults, { doomed: doomedBy([pruneBound('best')], viewOf(tree), true) }),
    ).toBeUndefined();
  });

  it('opens no strand that it ends at once: one that ends where it began was overtaken by a finished path', () => {
    const options: Partial<PolicyOptions> = { boundPrune: 'threshold' };
    fc.assert(
      fc.property(fc.nat(10_000), (seed) => {
        for (const id of ['a', 'b', 'c']) {
          const began = new Map<number, number>();
          let finished = 0;
          for (const { search: at, event } of search(seed, options).log) {
            if (at !== id) continue;
            if (event.type === 'grown' && event.terminal) finished += 1;
            else if (event.type === 'opened') began.set(event.strand, finished);
            else if (event.type === 'moved') began.delete(event.strand);
            else if (event.type === 'pruned') expect(began.get(event.strand)).not.toBe(finished);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('spends a rollout that cannot beat the best path: it ends with a value of 0, and where it began it takes no step', () => {
    let spent = 0;
    fc.assert(
      fc.property(fc.nat(10_000), (seed) => {
        const fresh = new Set<string>();
        const ended = new Set<string>();
        for (const { search: at, event } of search(seed, { boundPrune: 'best' }).log) {
          if (event.type === 'opened') fresh.add(`${at} ${event.strand}`);
          else if (event.type === 'moved') fresh.delete(`${at} ${event.strand}`);
          else if (event.type === 'pruned') ended.add(`${at} ${event.strand}`);
          else if (event.type === 'closed' && ended.has(`${at} ${event.strand}`)) {
            expect(event.value).toBe(0);
            if (fresh.has(`${at} ${event.strand}`)) spent += 1;
          }
        }
      }),
      { numRuns: 30 },
    );
    expect(spent).toBeGreaterThan(0);
  });

  it('leaves every search with a completed answer, within its rollouts', () => {
    let pruned = 0;
    const anyOptions = fc.constantFrom<Partial<PolicyOptions>>(
      { boundPrune: 'best' },
      { boundPrune: 'threshold' },
      { boundPrune: 'best', gate: 0 },
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
    expect(pruned).toBeGreaterThan(40);
  });
});
