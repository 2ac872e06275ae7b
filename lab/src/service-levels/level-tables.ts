// Service levels as tables: the rate at 90 % attainment by scale, its ratio to that of engines as they are, the tightest deadlines,
// finish-time fairness, and how well the work was known. Means over seeds with their 95 % intervals.

import { type Block, type LabTable, plainTable, withHalf } from '../experiment/table.ts';
import { judgedSteps } from '../known-work.ts';
import { type Estimate, estimate, estimateRatio } from '../statistics.ts';
import { levelShare } from './attainment.ts';
import { capLoad, capRows, capScale, highestLoad, type LevelCell, readLoads, scales } from './rates.ts';
import { baselines, type OrderRow, orderRows } from './workloads.ts';

export function levelTables(cells: readonly LevelCell[]): Block[] {
  return workloadsOf(cells).flatMap(([name, own]) => [
    `### ${name}`,
    machineLine(own),
    rateTable(own),
    ...baselines.map((base) => ratioTable(own, base)),
    tightnessTable(own),
    fairnessTable(own),
    rankLine(own),
    capTable(own),
  ]);
}

export function workloadsOf(cells: readonly LevelCell[]): [string, LevelCell[]][] {
  return [...Map.groupBy(cells, ({ workload }) => workload)];
}

export function cellsIn(own: readonly LevelCell[], row: OrderRow): LevelCell[] {
  return own.filter((cell) => cell.row === row);
}

function machineLine(own: readonly LevelCell[]): string {
  const seeds = cellsIn(own, 'gang');
  const capacity = meanOf(seeds, (cell) => cell.capacity).value;
  const baseSeconds = meanOf(seeds, (cell) => cell.baseMs).value / 1000;
  return `Capacity ${capacity.toFixed(2)} searches a second; base deadline ${baseSeconds.toFixed(1)} s, the mean latency of a search that is alone.`;
}

function rateTable(own: readonly LevelCell[]): LabTable {
  const rows = orderRows.map((row) => {
    const mine = cellsIn(own, row);
    const rates = scales.map((_, at) => {
      const known = mine.flatMap(({ loadAt }) => loadAt[at] ?? []);
      return known.length < mine.length ? 'not kept' : `${atLeast(known)}${withHalf(estimate([known]), 2)}`;
    });
    return [
      row,
      ...rates,
      withHalf(
        meanOf(mine, ({ accuracy }) => accuracy),
        1,
      ),
    ];
  });
  const head = ['order', ...scales.map((scale) => `scale ${scale}`), 'accuracy, %'];
  return plainTable(head, rows, `Arrival rate at ${levelShare} % attainment, as a multiple of the capacity.`);
}

/** Where some seed was kept at every load that was tried. */
function atLeast(rates: readonly number[]): string {
  return rates.some((rate) => rate >= highestLoad) ? '≥ ' : '';
}

/** Seed by seed, where both keep the level. */
function ratioTable(own: readonly LevelCell[], base: OrderRow): LabTable {
  const others = orderRows.filter((row) => !baselines.some((each) => each === row));
  const rows = others.map((row) => [row, ...scales.map((_, at) => ratioOf(own, row, base, at))]);
  const head = ['order', ...scales.map((scale) => `scale ${scale}`)];
  return plainTable(head, rows, `The same, how many times that of ${base}.`);
}

function ratioOf(own: readonly LevelCell[], row: OrderRow, base: OrderRow, scale: number): string {
  const pairs = cellsIn(own, row).flatMap(({ seed, loadAt }) => {
    const rate = loadAt[scale] ?? undefined;
    const other = cellsIn(own, base).find((cell) => cell.seed === seed)?.loadAt[scale] ?? undefined;
    return rate === undefined || other === undefined ? [] : [{ rate, ratio: rate / other }];
  });
  if (pairs.length === 0) return '-';
  const all = cellsIn(own, base).length;
  const times = estimateRatio([pairs.map(({ ratio }) => ratio)]);
  return `${atLeast(pairs.map(({ rate }) => rate))}${withHalf(times, 2)}${pairs.length < all ? ` (${pairs.length} of ${all} seeds)` : ''}`;
}

function tightnessTable(own: readonly LevelCell[]): LabTable {
  const rows = orderRows.map((row) => {
    const mine = cellsIn(own, row);
    return [
      row,
      ...readLoads.map((_, at) =>
        withHalf(
          meanOf(mine, ({ tightest }) => tightest[at]!),
          1,
        ),
      ),
    ];
  });
  const head = ['order', ...readLoads.map((load) => `at ${load}`)];
  return plainTable(head, rows, `The tightest scale at which ${levelShare} % attain, by load.`);
}

function fairnessTable(own: readonly LevelCell[]): LabTable {
  const parts = ['p50', 'p90', 'p99'] as const;
  const rows = orderRows.map((row) => {
    const mine = cellsIn(own, row);
    const figures = readLoads.flatMap((_, at) =>
      parts.map((part) => meanOf(mine, ({ fairness }) => fairness[at]![part]).value.toFixed(2)),
    );
    return [row, ...figures];
  });
  const head = ['order', ...readLoads.flatMap((load) => parts.map((part) => `${load}: ${part}`))];
  return plainTable(head, rows, 'Finish-time fairness: milliseconds from arrival to end, a token at the full cap.');
}

function rankLine(own: readonly LevelCell[]): string {
  const ranked = own.flatMap(({ workRanks }) => (workRanks === undefined ? [] : [workRanks]));
  const ranks = judgedSteps.map((_, at) => estimate([ranked.map((each) => each[at]!)]).value.toFixed(2));
  return `Rank correlation of the tokens that a search was expected to generate yet with those it did, at a load of ${capLoad}: ${ranks.join(', ')} after ${judgedSteps.join(', ')} steps.`;
}

function capTable(own: readonly LevelCell[]): LabTable {
  const rows = capRows.flatMap((row) => {
    const mine = cellsIn(own, row);
    return mine[0]!.caps.map(({ cap }, at) => [
      ...[
        row,
        String(cap),
        withHalf(
          meanOf(mine, ({ caps }) => caps[at]!.attained),
          1,
        ),
      ],
      withHalf(
        meanOf(mine, ({ caps }) => caps[at]!.accuracy),
        1,
      ),
    ]);
  });
  const title = `Accuracy against attainment by cap, at a load of ${capLoad} and a scale of ${capScale}.`;
  return plainTable(['order', 'cap', 'attained, %', 'accuracy, %'], rows, title);
}

function meanOf(cells: readonly LevelCell[], read: (cell: LevelCell) => number): Estimate {
  return estimate([cells.map(read)]);
}
