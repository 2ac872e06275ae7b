// Text tables: right-aligned numbers under short headings, one blank line between groups.

import type { Estimate } from '../statistics.ts';
import type { Line } from './report.ts';

export interface Column {
  readonly heading: string;
  readonly left?: true;
  /** Left out where no line has anything to say. */
  readonly optional?: true;
  readonly of: (line: Line) => string;
}

/** Values first, then how many times better than vanilla and than the base. */
export const allColumns: readonly Column[] = [
  { heading: 'policy', left: true, of: ({ row }) => row },
  { heading: 'p50 s', of: ({ p50Seconds }) => plain(p50Seconds, 1) },
  { heading: 'p99 s', of: ({ p99Seconds }) => plain(p99Seconds, 1) },
  { heading: 'req/s', of: ({ throughput }) => plain(throughput, 2) },
  { heading: 'cap/s', of: ({ capacity }) => plain(capacity, 2) },
  { heading: 'of bound', of: ({ share }) => plain(share, 2) },
  { heading: 'tokens', of: ({ tokens }) => plain(tokens, 0) },
  { heading: 'acc %', of: ({ accuracy }) => number(accuracy, 1) },
  { heading: 'exits %', of: ({ exits }) => exits.map((each) => each.toFixed(0)).join('/') },
  { heading: 'in time %', optional: true, of: ({ inTime }) => inTime?.toFixed(1) ?? '' },
  { heading: '|  p50 ×v', of: ({ againstVanilla }) => ratio(againstVanilla?.p50) },
  { heading: 'p99 ×v', of: ({ againstVanilla }) => ratio(againstVanilla?.p99) },
  { heading: 'req/s ×v', of: ({ againstVanilla }) => ratio(againstVanilla?.throughput) },
  { heading: 'cap ×v', of: ({ againstVanilla }) => ratio(againstVanilla?.capacity) },
  { heading: 'tok ×v', of: ({ againstVanilla }) => ratio(againstVanilla?.tokens) },
  { heading: 'Δacc v', of: ({ againstVanilla }) => points(againstVanilla?.accuracyPoints) },
  { heading: '|  p99 ×b', of: ({ againstBase }) => ratio(againstBase?.p99) },
  { heading: 'p50 ×b', of: ({ againstBase }) => ratio(againstBase?.p50) },
  { heading: 'cap ×b', of: ({ againstBase }) => ratio(againstBase?.capacity) },
  { heading: 'Δacc b', of: ({ againstBase }) => points(againstBase?.accuracyPoints) },
];

export function tableOf(lines: readonly Line[]): string {
  const columns = allColumns.filter(({ optional, of }) => !optional || lines.some((line) => of(line) !== ''));
  const groups = [...new Set(lines.map(({ load }) => load))].map((load) => ({
    title: load === 'backlog' ? 'all requests at once (backlog)' : `load ${load}`,
    cells: lines.filter((line) => line.load === load).map((line) => columns.map((column) => column.of(line))),
  }));
  const all = groups.flatMap(({ cells }) => cells);
  const widths = columns.map(({ heading }, at) => Math.max(heading.length, ...all.map((cells) => cells[at]!.length)));
  const print = (cells: readonly string[]) =>
    cells
      .map((cell, at) => (columns[at]!.left ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join('  ')
      .trimEnd();
  const heading = print(columns.map((column) => column.heading));
  const rule = '-'.repeat(heading.length);
  return [heading, rule, ...groups.flatMap(({ title, cells }) => [title, ...cells.map(print), ''])]
    .join('\n')
    .trimEnd();
}

function plain(estimate: Estimate | undefined, digits: number): string {
  return estimate === undefined ? '' : estimate.value.toFixed(digits);
}

function number(estimate: Estimate | undefined, digits: number): string {
  return estimate === undefined ? '' : estimate.value.toFixed(digits) + interval(estimate, digits);
}

function ratio(estimate: Estimate | undefined): string {
  return number(estimate, 2);
}

function points(estimate: Estimate | undefined): string {
  if (estimate === undefined) return '';
  return (estimate.value > 0 ? '+' : '') + number(estimate, 1);
}

function interval({ half }: Estimate, digits: number): string {
  return half === undefined ? '' : `±${half.toFixed(digits)}`;
}
