// Tables as values, and the one place that prints them: aligned text for a terminal, Markdown for a page. Cells are text already; each column
// rounds its own figures.

import type { Estimate } from '../statistics.ts';

interface TableHead {
  readonly heading: string;
  /** Words; figures stand to the right. */
  readonly left?: true;
  /** A bar before it, in text. */
  readonly barred?: true;
}

/** A column with the function that reads its cell from a row. */
export interface TableColumn<Row> extends TableHead {
  /** Left out where no row has anything to say. */
  readonly optional?: true;
  readonly of: (row: Row) => string | number;
}

interface TableGroup {
  /** A line of its own above the rows. */
  readonly title?: string;
  readonly rows: readonly (readonly string[])[];
}

export interface LabTable {
  /** A line above the table. */
  readonly title?: string;
  readonly columns: readonly TableHead[];
  readonly groups: readonly TableGroup[];
}

/** A report consists of paragraphs and tables. */
export type Block = string | LabTable;

type TableStyle = 'text' | 'markdown';

export function tableOf<Row>(columns: readonly TableColumn<Row>[], rows: readonly Row[], title?: string): LabTable {
  return groupedTable(columns, [{ rows }], title);
}

export function groupedTable<Row>(
  all: readonly TableColumn<Row>[],
  groups: readonly { readonly title?: string; readonly rows: readonly Row[] }[],
  title?: string,
): LabTable {
  const isSaid = ({ optional, of }: TableColumn<Row>) =>
    !optional || groups.some(({ rows }) => rows.some((row) => of(row) !== ''));
  const columns = all.filter(isSaid);
  return {
    ...(title !== undefined && { title }),
    columns,
    groups: groups.map((group) => ({
      ...(group.title !== undefined && { title: group.title }),
      rows: group.rows.map((row) => columns.map(({ of }) => String(of(row)))),
    })),
  };
}

/** Takes headings and cells as they are; the first column has words, the others figures. */
export function plainTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  title?: string,
  words = 1,
): LabTable {
  const columns = headings.map((heading, at) => (at < words ? { heading, left: true as const } : { heading }));
  return { ...(title !== undefined && { title }), columns, groups: [{ rows }] };
}

/** Prints blocks with an empty line between them. */
export function printed(blocks: readonly Block[], style: TableStyle): string {
  return blocks.map((block) => (typeof block === 'string' ? block : printedTable(block, style))).join('\n\n');
}

function printedTable(table: LabTable, style: TableStyle): string {
  const lines = style === 'text' ? textLines(table) : markdownLines(table);
  return [...(table.title === undefined ? [] : [table.title, '']), ...lines].join('\n');
}

function textLines({ columns, groups }: LabTable): string[] {
  const headings = columns.map(({ heading, barred }) => (barred ? `|  ${heading}` : heading));
  const all = groups.flatMap(({ rows }) => rows);
  const widths = headings.map((heading, at) => Math.max(heading.length, ...all.map((cells) => cells[at]!.length)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (columns[at]!.left ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd();
  const head = line(headings);
  const below = groups.flatMap(({ title, rows }, at) => [
    ...(at === 0 ? [] : ['']),
    ...(title === undefined ? [] : [title]),
    ...rows.map(line),
  ]);
  return [head, '-'.repeat(head.length), ...below];
}

function markdownLines({ columns, groups }: LabTable): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const titled = ({ title, rows }: TableGroup) => [
    ...(title === undefined ? [] : [[`**${title}**`, ...columns.slice(1).map(() => '')]]),
    ...rows,
  ];
  const rule = `|${columns.map(({ left }) => (left ? '---' : '--:')).join('|')}|`;
  return [line(columns.map(({ heading }) => heading)), rule, ...groups.flatMap(titled).map(line)];
}

/** `1.23 ± 0.04`, or the value alone if it has no interval. */
export function withHalf({ value, half }: Estimate, digits: number): string {
  return half === undefined ? value.toFixed(digits) : `${value.toFixed(digits)} ± ${half.toFixed(digits)}`;
}
