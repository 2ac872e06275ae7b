// What every decision keeps where some searches belong to the idle class, over random snapshots.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createScheduler } from '../../packages/core/src/policy/create.ts';
import type { Decision, RunningSearch, Snapshot, WaitingSearch } from '../../packages/core/src/scheduler/scheduler.ts';

const widthOf = ({ widths }: Decision, id: string) => widths.get(id)!;
const total = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);

interface Draw {
  readonly idle: boolean;
  readonly naturalWidth: number;
  readonly demand: number;
  readonly open: number;
}

const draws: fc.Arbitrary<Draw> = fc.record({
  idle: fc.boolean(),
  naturalWidth: fc.integer({ min: 1, max: 6 }),
  demand: fc.integer({ min: 1, max: 32 }),
  open: fc.nat(6),
});

/** Only snapshots that can come to be: the others fit by natural width, and no more strands are open than there are. */
function snapshotOf(budget: number, present: readonly Draw[], queue: readonly Draw[]): Snapshot {
  let [room, free] = [budget, budget];
  const running: RunningSearch[] = [];
  for (const [at, { idle, naturalWidth, demand, open }] of present.entries()) {
    if (!idle && Math.min(naturalWidth, budget) > room) continue;
    if (!idle) room -= Math.min(naturalWidth, budget);
    const openStrands = Math.min(open, free);
    free -= openStrands;
    const width = { primary: openStrands, speculative: 0 };
    const shown = { observations: 1, progress: 0.5, arrivalMs: at, rolloutsLeft: 9, width };
    running.push({ id: `r${at}`, idle, naturalWidth, openStrands, demand: Math.max(demand, openStrands), ...shown });
  }
  const waiting = queue.map(
    ({ idle, naturalWidth }, at): WaitingSearch => ({ id: `w${at}`, turn: -at, idle, naturalWidth }),
  );
  return { nowMs: 1000, budget, running, waiting };
}

function whenDecided(
  check: (s: Snapshot, d: Decision, decide: (snapshot: Snapshot) => Decision, beside: number) => void,
): void {
  fc.assert(
    fc.property(
      fc.constantFrom('vanilla' as const, 'boost' as const),
      fc.constantFrom(0, 0.25, 1, 1000),
      fc.constantFrom(0, 2),
      fc.integer({ min: 1, max: 30 }),
      fc.array(draws, { maxLength: 12 }),
      fc.array(draws, { maxLength: 8 }),
      (name, beside, speculate, budget, running, waiting) => {
        const { decide } = createScheduler(name, { speculate }, {}, { beside });
        const snapshot = snapshotOf(budget, running, waiting);
        check(snapshot, decide(snapshot), decide, beside);
      },
    ),
    { numRuns: 1000 },
  );
}

describe('the idle class', () => {
  it('changes nothing for the others', () => {
    whenDecided((snapshot, decision, decide) => {
      const isOther = ({ idle }: { readonly idle?: boolean }) => idle !== true;
      const waiting = snapshot.waiting.filter(isOther);
      const running = snapshot.running.filter(isOther);
      const alone = decide({ ...snapshot, waiting, running });
      const others = new Set([...waiting, ...running].map(({ id }) => id));
      expect(decision.admit.filter((id) => others.has(id))).toEqual(alone.admit);
      expect(decision.giveUp).toEqual(alone.giveUp);
      expect(new Map([...decision.widths].filter(([id]) => others.has(id)))).toEqual(alone.widths);
      expect(new Map([...decision.preempt].filter(([id]) => others.has(id)))).toEqual(alone.preempt);
    });
  });

  it('never holds more than is left, nor more than its part beside the others', () => {
    whenDecided(({ budget, running }, decision, _, beside) => {
      const open = new Map(running.map(({ id, openStrands }) => [id, openStrands]));
      const idle = new Set([...running.filter((each) => each.idle === true)].map(({ id }) => id));
      for (const id of decision.admit) if (!open.has(id)) open.set(id, 0);
      const held = (id: string) => {
        const { primary, speculative } = widthOf(decision, id);
        return Math.max(primary, open.get(id)! - (decision.preempt.get(id) ?? 0)) + speculative;
      };
      const ids = [...decision.widths.keys()];
      expect(total(ids.map(held))).toBeLessThanOrEqual(budget);
      const running0 = ids.filter((id) => !idle.has(id) && running.some((each) => each.id === id));
      if (running0.length === 0) return;
      const heldIdle = total(ids.filter((id) => idle.has(id)).map(held));
      const heldOthers = total(ids.filter((id) => !idle.has(id)).map(held));
      expect(heldIdle).toBeLessThanOrEqual(heldOthers * beside);
    });
  });

  it('leaves nothing idle where only it is there', () => {
    whenDecided((snapshot, _, decide) => {
      const of = <Each extends { readonly idle?: boolean }>(all: readonly Each[]) => all.filter(({ idle }) => idle);
      const only = { ...snapshot, running: of(snapshot.running), waiting: of(snapshot.waiting) };
      const decision = decide(only);
      const wanted = total([...only.running, ...only.waiting].map((each) => Math.min(each.naturalWidth, only.budget)));
      const given = total(Array.from(decision.widths.values(), ({ primary }) => primary));
      expect(given).toBe(Math.min(only.budget, wanted));
    });
  });
});
