import { expect, it } from 'vitest';
import { groupedTable, printed, type TableColumn, tableOf, withHalf } from './table.ts';

interface Row {
  readonly name: string;
  readonly value: number;
  readonly note?: string;
}

const columns: readonly TableColumn<Row>[] = [
  { heading: 'name', left: true, of: ({ name }) => name },
  { heading: 'value', barred: true, of: ({ value }) => value.toFixed(1) },
  { heading: 'note', optional: true, of: ({ note = '' }) => note },
];
const rows = [
  { name: 'one', value: 1 },
  { name: 'eleven', value: 11 },
];

it('prints the same table aligned and in Markdown, without a column that no row fills', () => {
  const table = tableOf(columns, rows, 'Numbers.');
  const text = 'Numbers.\n\nname    |  value\n----------------\none          1.0\neleven      11.0';
  expect(printed([table], 'text')).toBe(text);
  const markdown = 'Numbers.\n\n| name | value |\n|---|--:|\n| one | 1.0 |\n| eleven | 11.0 |';
  expect(printed([table], 'markdown')).toBe(markdown);
  const noted = printed([tableOf(columns, [...rows, { name: 'two', value: 2, note: 'even' }])], 'markdown');
  expect(noted).toContain('| two | 2.0 | even |');
});

it('prints groups below their titles, and paragraphs between tables', () => {
  const table = groupedTable(columns.slice(0, 1), [
    { title: 'small', rows: rows.slice(0, 1) },
    { title: 'large', rows: rows.slice(1) },
  ]);
  expect(printed(['Before.', table], 'text')).toBe('Before.\n\nname\n----\nsmall\none\n\nlarge\neleven');
  expect(printed([table], 'markdown')).toContain('| **large** |\n| eleven |');
});

it('writes an interval where there is one', () => {
  expect(withHalf({ value: 1, half: 0.26 }, 1)).toBe('1.0 ± 0.3');
  expect(withHalf({ value: 1, half: undefined }, 1)).toBe('1.0');
});
