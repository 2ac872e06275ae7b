import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordSearch } from '../../../../tests/support/recorded.ts';
import { digestTree } from '../testing/program/digest.ts';
import { Tree } from '../tree/tree.ts';
import { isTreeEvent, type LoggedEvent } from './events.ts';
import { Replay } from './replay.ts';

const log = recordSearch({ id: 'a', seed: 5, rollouts: 12, threshold: 1 });

describe('a replay', () => {
  it('is the fold of the first events, whatever way it was reached', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(log.length), { minLength: 1, maxLength: 6 }), (places) => {
        const replay = new Replay(log);
        for (const place of places) {
          const { tree, count } = replay.seek(place);
          const events = log
            .slice(0, place)
            .map(({ event }) => event)
            .filter(isTreeEvent);
          expect(count).toBe(place);
          expect(tree && digestTree(tree)).toEqual(events.length === 0 ? undefined : digestTree(Tree.replay(events)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('ends with the exit, the answer and the cost of the log', () => {
    const { exit, answer, cost, fault } = new Replay(log).seek(Number.POSITIVE_INFINITY);
    expect(fault).toBeUndefined();
    expect(exit?.kind).toBe('exhausted');
    expect(answer?.complete).toBe(true);
    expect(cost?.committedTokens).toBeGreaterThan(0);
  });

  it('remembers where strands were pruned', () => {
    const opened = log.findIndex(({ event }) => event.type === 'opened');
    const strand = (log[opened]!.event as { strand: number }).strand;
    const cut: LoggedEvent = {
      ...log[opened]!,
      event: { type: 'pruned', strand, rule: 'bound', evidence: {} },
    };
    const moment = new Replay([...log.slice(0, opened + 1), cut]).seek(opened + 2);
    expect([...moment.prunedAt]).toEqual([[0, 'bound']]);
  });

  it('says which event does not fit, and shows what came before', () => {
    const broken = log.filter((_, at) => at !== 6);
    const moment = new Replay(broken).seek(broken.length);
    expect(moment.fault).toMatch(/^event \d+ does not fit/);
    expect(moment.tree).toBeDefined();
    expect(new Replay(broken).seek(4).fault).toBeUndefined();
  });
});
