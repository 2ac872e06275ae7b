import { describe, expect, it } from 'vitest';
import { recordSearch } from '../../../../tests/support/recorded.ts';
import type { Cost } from './end.ts';
import type { SearchEvent } from './events.ts';
import { SearchFold } from './fold.ts';

const cost: Cost = {
  committedTokens: 8,
  discardedTokens: 2,
  speculativeTokens: 0,
  promptTokens: 9,
  cachedTokens: 3,
  verifierTokens: 5,
  verifierCachedTokens: 1,
  engineCalls: 2,
  verifierCalls: 2,
};
const sampling = { temperature: 1 };

/** The first event at 100 ms, each following one 10 ms later. */
function foldOf(...events: SearchEvent[]): SearchFold {
  const fold = new SearchFold();
  events.forEach((event, sequence) => {
    fold.apply({ search: 's', sequence, atMs: 100 + 10 * sequence, event });
  });
  return fold;
}

function grown(node: number, index: number, terminal: boolean): SearchEvent {
  const step = { text: `step ${node}`, tokens: 4, meanLogprob: 0, end: terminal ? 'eos' : 'delimiter' } as const;
  return { type: 'grown', node, key: node, parent: 0, index, step, reward: 0.5, terminal };
}

const begun: SearchEvent[] = [
  { type: 'submitted' },
  { type: 'planted', aggregation: 'product' },
  { type: 'admitted' },
  { type: 'width', primary: 2, speculative: 1 },
  { type: 'opened', strand: 0, node: 0 },
  { type: 'asked', strand: 0, node: 0, indices: [0, 1], sampling },
];

describe('the fold of a log', () => {
  it('is empty before the first event', () => {
    expect(foldOf()).toMatchObject({ count: 0, sequence: -1, nodes: 0, rollouts: 0, tokens: 0, tree: undefined });
  });

  it('counts finished paths that change the answer, and not better ones to the same; its tree shows draws, twins and depth', () => {
    const step = { text: '', tokens: 1, meanLogprob: 0, end: 'eos' } as const;
    const ended = (answer: string, node: number, reward: number): SearchEvent[] => [
      { type: 'asked', strand: 0, node: 0, indices: [node - 1], sampling },
      { type: 'grown', node, key: node, parent: 0, index: node - 1, step, reward, terminal: true, answer },
    ];
    const told = [ended('7', 1, 0.2), ended('7', 2, 0.4), ended('8', 3, 0.6), ended('9', 4, 0)];
    const folds = told.map((_, at) => foldOf(...begun.slice(0, -1), ...told.slice(0, at + 1).flat()));
    expect(folds.map(({ fault, changes }) => [fault, changes])).toEqual([0, 0, 1, 1].map((each) => [undefined, each]));
    folds[0]!.tree!.nodes[1]!.count = 3;
  });

  it('tells tree, phases and width while the search runs', () => {
    const fold = foldOf(...begun, grown(1, 0, false), grown(2, 1, true));
    expect(fold).toMatchObject({
      count: 8,
      sequence: 7,
      submittedMs: 100,
      admittedMs: 120,
      exitedMs: undefined,
      width: { primary: 2, speculative: 1 },
      nodes: 3,
      openStrands: 1,
      rollouts: 0,
      tokens: 8,
      bestScore: 0.5,
    });
    expect(fold.chosen?.id).toBe(2);
    expect(fold.pathTo(2).map(({ id }) => id)).toEqual([2]);
    expect(fold.pathTo(9)).toEqual([]);
  });

  it('tells the best score that the judge read where no step is scored', () => {
    const end = (node: number): SearchEvent[] => {
      const strand = node - 1;
      const step = { text: '7', tokens: 4, meanLogprob: 0, end: 'eos' } as const;
      return [
        { type: 'opened', strand, node: 0 },
        { type: 'asked', strand, node: 0, indices: [node], sampling },
        { type: 'grown', node, key: node, parent: 0, index: node, step, terminal: true, answer: '7' },
        { type: 'moved', strand, node },
        { type: 'closed', strand, closing: 'completed' },
      ];
    };
    const read = (node: number, reward: number): SearchEvent[] => [
      { type: 'opened', strand: 1 + node, node },
      { type: 'probing', strand: 1 + node, node, index: 0, sampling, manner: { read: true } },
      { type: 'probed', node, index: 0, reply: { text: '', tokens: 0, whole: true, reward } },
      { type: 'closed', strand: 1 + node, closing: 'ended' },
    ];
    const ends = [...begun.slice(0, 4), ...end(1), ...end(2)];
    expect(foldOf(...ends)).toMatchObject({ fault: undefined, bestScore: undefined });
    expect(foldOf(...ends, ...read(1, 0.7), ...read(2, 0.4))).toMatchObject({ fault: undefined, bestScore: 0.7 });
    const step = { text: '7', tokens: 4, meanLogprob: 0, end: 'delimiter' } as const;
    const middle: SearchEvent = { type: 'grown', node: 1, key: 1, parent: 0, index: 0, step, terminal: false };
    const before = begun.with(5, { type: 'asked', strand: 0, node: 0, indices: [0], sampling });
    const moved: SearchEvent = { type: 'moved', strand: 0, node: 1 };
    const begins = [...before, middle, moved, { type: 'opened', strand: 1, node: 0 } as const];
    expect(foldOf(...begins, ...read(1, 0.9))).toMatchObject({ fault: undefined, bestScore: undefined });
  });

  it('calls a node settled when every child that was ever asked for is answered', () => {
    const settled = (...events: SearchEvent[]) => {
      const fold = foldOf(...begun, ...events);
      return fold.isSettled(fold.tree!.root);
    };
    expect(settled()).toBe(false);
    expect(settled(grown(1, 0, false))).toBe(false);
    expect(settled(grown(1, 0, false), { type: 'closed', strand: 0, closing: 'preempted' })).toBe(false);
    expect(settled(grown(1, 0, false), { type: 'withered', parent: 0, index: 1, code: 'internal' })).toBe(true);
  });

  it('ends with exit, answer and cost, and no width', () => {
    const exit = { kind: 'accepted', rule: 'positive', evidence: {} } as const;
    const answer = { node: 1, text: 'step 1', answer: undefined, score: 0.5, complete: false };
    const fold = foldOf(...begun, grown(1, 0, false), grown(2, 1, true), { type: 'exited', exit, answer, cost });
    expect(fold).toMatchObject({ exit, answer, cost, exitedMs: 180, width: { primary: 0, speculative: 0 } });
    // The answer's node, though another path has the best score.
    expect(fold.chosen?.id).toBe(1);
  });

  it('stops at an event that does not fit, and says which', () => {
    const fold = foldOf(...begun, grown(5, 0, false), grown(1, 0, false), {
      type: 'width',
      primary: 7,
      speculative: 0,
    });
    expect(fold.fault).toMatch(/^event 6 does not fit: .*next node is 1, not 5/);
    expect(fold).toMatchObject({ nodes: 1, count: 9, width: { primary: 2 } });
    expect(foldOf(grown(1, 0, false)).fault).toMatch(/event 0 does not fit: 'grown' before 'planted'/);
  });

  it('has the exit and the cost that the runtime gave', () => {
    const log = recordSearch({ id: 'a', seed: 5, rollouts: 12, threshold: 1 });
    const fold = new SearchFold();
    for (const logged of log) fold.apply(logged);
    expect(fold.fault).toBeUndefined();
    expect(fold).toMatchObject({
      sequence: log.at(-1)?.sequence,
      count: log.length,
      openStrands: 0,
      rollouts: 12,
      exit: { kind: 'exhausted' },
    });
    expect(fold.cost?.committedTokens).toBe(fold.tokens);
  });
});
