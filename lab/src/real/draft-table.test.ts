// Hand-worked cases: what drafts of a shape would have had accepted, and what the table says of two blocks.

import { describe, expect, it } from 'vitest';
import { printed } from '../experiment/table.ts';
import type { DraftLine } from './draft-rounds.ts';
import { draftTable, shapeTable, tokensARound } from './draft-table.ts';

describe('what drafts would have had accepted', () => {
  it('a chain accepts while the answer is what the draft model likes best, and every round adds one', () => {
    // Rounds of a chain of two: 0 0 (1) | 2 | 0 0 (0) | 0.
    expect(tokensARound([[0, 0, 1, 2, 0, 0, 0, 0]], [1, 1])).toBe(8 / 4);
    expect(tokensARound([[3, 3, 3]], [1, 1])).toBe(1);
  });

  it('a second candidate saves a place that the first one misses', () => {
    const ranks = [[1, 0, 0, 1, 0, 0]];
    // 1 | 0 0 (1) | 0 0, where the answer ends.
    expect(tokensARound(ranks, [1, 1])).toBe(6 / 3);
    expect(tokensARound(ranks, [2, 1])).toBe(3);
  });

  it('a shape is as fast as its tokens over the cost of its rows', () => {
    const cost = { kind: 'cost', threads: 1, rows: [1, 2, 5], target: [10, 12, 18], draft: [2, 3, 6] } as const;
    const rows = shapeTable([[0, 0, 0, 0]], cost).groups[0]!.rows;
    // Two tokens by a decode of two rows and one of the draft model.
    expect(rows.find(([shape]) => shape === '1')).toEqual(['1', '2', '2.00', '14', (20 / 14).toFixed(2)]);
    // Two candidates with one below each: four nodes and the token before them; the draft model decodes one row, then two.
    expect(rows.find(([shape]) => shape === '2, 1')).toEqual(['2, 1', '5', '2.00', '23', (20 / 23).toFixed(2)]);
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
    expect(cells.slice(1, 6)).toEqual(['inline:2', '3', '12', '2.00', '50 100']);
    expect(cells[7]).toBe('1.00 (0.50 to 2.00)');
    expect(cells[9]).toBe('1 of 2, others part at 2');
  });
});
