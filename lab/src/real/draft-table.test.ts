// Hand-worked cases: what drafts of a shape would have had accepted, and what the table says of two blocks.

import { describe, expect, it } from 'vitest';
import { printed } from '../experiment/table.ts';
import type { DraftLine, RankedAnswer } from './draft-rounds.ts';
import { type DecodeCosts, draftTable, replay, shapeTable } from './draft-table.ts';

const cost: DecodeCosts = { kind: 'cost', threads: 1, rows: [1, 2, 5], target: [10, 12, 18], draft: [2, 3, 6] };

function answer(ranks: readonly number[], sure = ranks.map(() => 1)): RankedAnswer {
  return { ranks, sure };
}

describe('what drafts would have had accepted', () => {
  it('a chain accepts while the answer is what the draft model likes best, and every round adds one', () => {
    // Rounds of a chain of two: 0 0 (1) | 2 | 0 0 (0) | 0.
    expect(replay([answer([0, 0, 1, 2, 0, 0, 0, 0])], { widths: [1, 1] }, cost)).toMatchObject({
      rounds: 4,
      tokens: 8,
    });
    expect(replay([answer([3, 3, 3])], { widths: [1, 1] }, cost)).toMatchObject({ rounds: 3, tokens: 3 });
  });

  it('a second candidate saves a place that the first one misses', () => {
    const answers = [answer([1, 0, 0, 1, 0, 0])];
    // 1 | 0 0 (1) | 0 0, where the answer ends.
    expect(replay(answers, { widths: [1, 1] }, cost)).toMatchObject({ rounds: 3, tokens: 6 });
    // Two candidates with one below each: four nodes and the token before them; the draft model decodes one row, then two.
    expect(replay(answers, { widths: [2, 1] }, cost)).toEqual({
      rounds: 2,
      tokens: 6,
      verified: 10,
      ms: 2 * (18 + 2 + 3),
    });
  });

  it('a careful chain ends before the token that it doubts', () => {
    // The second token is doubted: drawn, not offered. Then 0 (0), both offered.
    const answers = [answer([0, 1, 0, 0], [0.9, 0.4, 0.9, 0.9])];
    const shape = { widths: [1, 1], least: 0.5 };
    expect(replay(answers, shape, cost)).toEqual({ rounds: 2, tokens: 4, verified: 2 + 3, ms: 12 + 4 + 14 + 4 });
    expect(replay([answer([1], [0.1])], shape, cost)).toEqual({ rounds: 1, tokens: 1, verified: 1, ms: 10 + 2 });
  });

  it('a shape is as fast as its tokens over what it costs', () => {
    const rows = shapeTable([answer([0, 0, 0, 0])], cost).groups[0]!.rows;
    expect(rows.find(([shape]) => shape === '1')).toEqual(['1', '2.0', '2.00', (20 / 14).toFixed(2)]);
  });
});

function line(changes: Partial<DraftLine>): DraftLine {
  const counts = { tokens: 4, ms: 400, processorMs: 200, decodes: 4, judgedAt: [], acceptedAt: [] };
  return {
    kind: 'round',
    block: 0,
    temperature: 0,
    sequences: 1,
    drafts: 'none',
    ...counts,
    written: [[1, 2, 3, 4]],
    ...changes,
  };
}

describe('the table', () => {
  it('pairs ways of drafting with none of them by block', () => {
    const drafted = { drafts: 'inline:2', decodes: 2, judgedAt: [2, 1], acceptedAt: [1, 1] };
    const lines = [
      line({}),
      line({ ...drafted, ms: 200 }),
      line({ block: 4, ms: 800 }),
      line({ ...drafted, block: 4, ms: 1600, written: [[1, 2, 9, 4]] }),
      line({ ...drafted, block: 8 }), // the run was broken off before its partner
    ];
    const row = printed(draftTable(lines), 'markdown').split('\n').at(-1)!;
    const cells = row.split('|').map((each) => each.trim());
    expect(cells.slice(1, 6)).toEqual(['inline:2', '3', '12', '3.00', '50 100']);
    expect(cells[7]).toBe('1.00 (0.50 to 2.00)');
    expect(cells[9]).toBe('1 of 2, others part at 2');
  });
});
