// What `safe` promises, read from the logs of simulated runs: it gives up on no question, and it boosts nobody whose first
// rollout may still be accepted.

import { expect, it } from 'vitest';
import { contenderOf } from '../../lab/src/service/contenders.ts';
import { runTrial, trialDefaults } from '../../lab/src/sim/trial.ts';
import type { LoggedEvent } from '../../packages/core/src/log/events.ts';
import { SearchFold } from '../../packages/core/src/log/fold.ts';
import { mayGrow } from '../../packages/core/src/tree/node.ts';

const { threshold, rollouts } = trialDefaults;

/** Calls `look` after every event, with the fold of its search. */
function watch(row: string, look: (logged: LoggedEvent, fold: SearchFold) => void): void {
  const folds = new Map<string, SearchFold>();
  const size = { requests: 40, budget: 12, arrivals: { kind: 'rate', perSecond: 0.6 } } as const;
  runTrial({ ...trialDefaults, ...size, setting: 'amc23/8b', contender: contenderOf(row) }, (logged) => {
    const fold = folds.get(logged.search) ?? new SearchFold();
    folds.set(logged.search, fold);
    fold.apply(logged);
    expect(fold.fault).toBeUndefined();
    look(logged, fold);
  });
}

it('ends a search unaccepted only when its rollouts are used up or no leaf can beat its best path', () => {
  let exhausted = 0;
  let spent = 0;
  watch('safe', ({ event }, { tree }) => {
    if (event.type === 'pruned') {
      spent += 1;
      expect(event.rule).toBe('bound-best');
    }
    if (event.type !== 'exited' || event.exit.kind === 'accepted') return;
    exhausted += 1;
    const { completed, pruned } = tree!.closed;
    const viable = tree!.nodes.filter((node) => mayGrow(node) && node.score > (tree!.best?.score ?? 0));
    if (completed + pruned < rollouts) expect(viable).toEqual([]);
  });
  expect(exhausted).toBeGreaterThan(5);
  expect(spent).toBeGreaterThan(5);
});

it('leaves a search alone while its first rollout may be accepted, and boosts it before that has ended', () => {
  let early = 0;
  watch('safe', ({ event }, { tree }) => {
    if (event.type !== 'width' || event.primary <= 1) return;
    const { completed, pruned } = tree!.closed;
    if (completed + pruned > 0) return;
    early += 1;
    for (const { node } of tree!.strands.values()) expect(node.score).toBeLessThan(threshold);
  });
  expect(early).toBeGreaterThan(3);
});
