// Service levels in words: the rate at 90 % attainment by scale, how tight deadlines may be, finish-time fairness, and a figure of
// attainment over the rate. Means over seeds with their 95 % intervals.

import type { Figure } from '../sim/p0-figures.ts';
import { type Estimate, estimate, estimateRatio } from '../statistics.ts';
import { type Series, svgOf } from '../svg.ts';
import { levelShare } from './attainment.ts';
import { type LevelCell, type OrderRow, orderRows, readLoads, scales } from './rates.ts';

export function levelTables(cells: readonly LevelCell[]): string {
  return workloadsOf(cells)
    .map(([name, own]) => [`### ${name}`, machineLine(own), rateTable(own), tightnessTable(own)].join('\n\n'))
    .join('\n\n');
}

function machineLine(own: readonly LevelCell[]): string {
  const seeds = own.filter(({ row }) => row === 'gang');
  const over = (read: (cell: LevelCell) => number) => estimate([seeds.map(read)]).value;
  return `Capacity ${over(({ capacity }) => capacity).toFixed(2)} searches a second; base deadline ${(over(({ baseMs }) => baseMs) / 1000).toFixed(1)} s, the mean latency of a search that is alone.`;
}

/** Multiples of the capacity, and how many times the rate of `longest-prefix` and of `fcfs` at the middle scale. */
function rateTable(own: readonly LevelCell[]): string {
  const head = ['order', ...scales.map((scale) => `scale ${scale}`), 'accuracy, %'];
  const rows = orderRows.map((row) => {
    const cellsOf = cellsIn(own, row);
    const rates = scales.map((_, at) => {
      const known = cellsOf.flatMap(({ loadAt }) => loadAt[at] ?? []);
      if (known.length < cellsOf.length) return 'not kept';
      const against = ratios(own, row, at);
      return `${estimate([known]).value.toFixed(2)}${against}`;
    });
    return [row, ...rates, estimate([cellsOf.map(({ accuracy }) => accuracy)]).value.toFixed(1)];
  });
  const title = `Arrival rate at ${levelShare} % attainment, as a multiple of the capacity; in brackets, how many times the rate of longest-prefix and of fcfs.`;
  return `${title}\n\n${markdown(head, rows)}`;
}

function ratios(own: readonly LevelCell[], row: OrderRow, scale: number): string {
  if (row === 'fcfs' || row === 'longest-prefix') return '';
  const against = (['longest-prefix', 'fcfs'] as const).map((base) => {
    const pairs = cellsIn(own, row).flatMap(({ seed, loadAt }) => {
      const other = cellsIn(own, base).find((cell) => cell.seed === seed)?.loadAt[scale];
      return loadAt[scale] === undefined || other === undefined ? [] : [loadAt[scale]! / other];
    });
    return pairs.length === 0 ? '-' : withHalf(estimateRatio([pairs]), 2);
  });
  return ` (${against.join(', ')})`;
}

function tightnessTable(own: readonly LevelCell[]): string {
  const head = [
    'order',
    ...readLoads.flatMap((load) => [
      `${load}: tightest scale`,
      `${load}: ms a token p50`,
      `${load}: p90`,
      `${load}: p99`,
    ]),
  ];
  const rows = orderRows.map((row) => {
    const cellsOf = cellsIn(own, row);
    const over = (read: (cell: LevelCell) => number) => estimate([cellsOf.map(read)]).value;
    const figures = readLoads.flatMap((_, at) => [
      over(({ tightest }) => tightest[at]!).toFixed(1),
      over(({ fairness }) => fairness[at]!.p50).toFixed(2),
      over(({ fairness }) => fairness[at]!.p90).toFixed(2),
      over(({ fairness }) => fairness[at]!.p99).toFixed(2),
    ]);
    return [row, ...figures];
  });
  const title = `At ${readLoads.join(' and ')} of the capacity: the tightest scale at which ${levelShare} % attain, and finish-time fairness (from arrival to end, a token generated).`;
  return `${title}\n\n${markdown(head, rows)}`;
}

/** Attainment over the rate, a panel for every workload and scale, a line for every order. */
export function levelFigures(cells: readonly LevelCell[], note: string): Figure[] {
  return workloadsOf(cells).map(([name, own]) => {
    const panels = scales.map((scale, at) => ({
      ...{ title: `scale ${scale}`, xLabel: 'arrivals over capacity', yLabel: 'attained, %' },
      series: orderRows.map((row, colour): Series => {
        const of = cellsIn(own, row);
        const points = of[0]!.attained.map(
          ({ load }, step) => [load, estimate([of.map(({ attained }) => attained[step]!.byScale[at]!)]).value] as const,
        );
        return { name: row, colour, points, ...(row === 'fcfs' || row === 'longest-prefix' ? { dashed: true } : {}) };
      }),
    }));
    const title = `Deadlines kept, ${name} (simulated)`;
    return { name: `p1-levels-${name}`, svg: svgOf({ title, note, panels, columns: 3 }), data: own };
  });
}

function workloadsOf(cells: readonly LevelCell[]): [string, LevelCell[]][] {
  return [...Map.groupBy(cells, ({ workload }) => workload)];
}

function cellsIn(own: readonly LevelCell[], row: OrderRow): LevelCell[] {
  return own.filter((cell) => cell.row === row);
}

function withHalf({ value, half }: Estimate, digits: number): string {
  return half === undefined ? value.toFixed(digits) : `${value.toFixed(digits)} ± ${half.toFixed(digits)}`;
}

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, at) => (at === 0 ? '---' : '--:'))), ...rows.map(line)].join('\n');
}
