// Turns the cells of a comparison into its rows: means over settings and seeds (geometric for latencies, rates and ratios), with 95 %
// intervals over the seeds. Ratios are taken per setting and seed, on the same questions, before they are averaged.

import { mean } from '@coppice/core/base';
import type { RowName } from '../service/index.ts';
import { type Estimate, estimate, estimateRatio } from '../statistics.ts';
import type { Cell } from './comparison.ts';

export interface Line {
  readonly row: RowName;
  /** The load of the latencies; 'backlog' where all requests came at once. */
  readonly load: string;
  readonly p50Seconds?: Estimate;
  readonly p90Seconds?: Estimate;
  readonly p99Seconds?: Estimate;
  readonly throughput?: Estimate;
  readonly capacity: Estimate;
  /** Share of the clairvoyant capacity. */
  readonly share: Estimate;
  readonly tokens: Estimate;
  readonly accuracy: Estimate;
  /** Accepted, futile, settled, exhausted, in percent. */
  readonly exits: readonly number[];
  /** Searches that no deadline cut off, in percent; missing where none was. */
  readonly inTime?: number;
  /** How many times better than the other: above 1 is better in every column; accuracy as a difference in points. */
  readonly againstVanilla: Ratios | undefined;
  readonly againstBase: Ratios | undefined;
}

export interface Ratios {
  readonly p50?: Estimate;
  readonly p99?: Estimate;
  readonly throughput?: Estimate;
  readonly capacity: Estimate;
  readonly tokens: Estimate;
  readonly accuracyPoints: Estimate;
}

export function linesOf(cells: readonly Cell[], base: RowName): Line[] {
  const rows = unique(cells.map(({ row }) => row));
  const loads = ['backlog', ...unique(cells.flatMap((cell) => cell.loads.map(({ load }) => load)))];
  return loads.flatMap((load) => rows.map((row) => lineOf(cells, row, load, base)));
}

/** Groups cells by setting. */
export function bySetting(cells: readonly Cell[]): Map<string, Cell[]> {
  const groups = new Map<string, Cell[]>();
  for (const cell of cells) groups.set(cell.setting, [...(groups.get(cell.setting) ?? []), cell]);
  return groups;
}

interface View {
  readonly cell: Cell;
  readonly p50: number | undefined;
  readonly p90: number | undefined;
  readonly p99: number | undefined;
  readonly throughput: number | undefined;
  readonly tokens: number;
  readonly accuracy: number;
  readonly right: string;
  readonly exits: Cell['yield']['exits'];
}

function viewOf(cell: Cell, load: string): View {
  const at = cell.loads.find((each) => each.load === load);
  const { tokens, accuracy, right, exits } = at?.yield ?? cell.yield;
  const latencies = { p50: at?.p50Ms, p90: at?.p90Ms, p99: at?.p99Ms, throughput: at?.throughputPerSecond };
  return { cell, ...latencies, tokens, accuracy, right, exits };
}

const shownExits = ['accepted', 'futile', 'settled', 'exhausted'] as const;

function lineOf(cells: readonly Cell[], row: RowName, load: string, base: RowName): Line {
  const viewsOf = (name: RowName) => cells.filter((cell) => cell.row === name).map((cell) => viewOf(cell, load));
  const views = viewsOf(row);
  const against = (other: RowName) => {
    const others = viewsOf(other);
    return others.length === 0 ? undefined : ratiosOf(views, others);
  };
  const late = mean(views.map(({ exits }) => exits.deadline ?? 0));
  const share = (kind: (typeof shownExits)[number]) => mean(views.map(({ exits }) => exits[kind] ?? 0));
  return {
    row,
    load,
    exits: shownExits.map(share),
    ...(late === 0 ? {} : { inTime: 100 - late }),
    againstVanilla: against('vanilla'),
    againstBase: against(base),
    ...optional(
      'p50Seconds',
      over(views, cellOf, ({ p50 }) => p50 && p50 / 1000, estimateRatio),
    ),
    ...optional(
      'p90Seconds',
      over(views, cellOf, ({ p90 }) => p90 && p90 / 1000, estimateRatio),
    ),
    ...optional(
      'p99Seconds',
      over(views, cellOf, ({ p99 }) => p99 && p99 / 1000, estimateRatio),
    ),
    ...optional(
      'throughput',
      over(views, cellOf, ({ throughput }) => throughput, estimateRatio),
    ),
    capacity: over(views, cellOf, ({ cell }) => cell.capacity, estimateRatio)!,
    share: over(views, cellOf, ({ cell }) => cell.capacity / cell.clairvoyant, estimateRatio)!,
    tokens: over(views, cellOf, ({ tokens }) => tokens, estimateRatio)!,
    accuracy: over(views, cellOf, ({ accuracy }) => accuracy, estimate)!,
  };
}

interface Pair {
  readonly view: View;
  readonly other: View;
}

function ratiosOf(views: readonly View[], others: readonly View[]): Ratios {
  const pairs = views.map((view): Pair => {
    const { setting, seed } = view.cell;
    return { view, other: others.find(({ cell }) => cell.setting === setting && cell.seed === seed)! };
  });
  const ratio = (read: (pair: Pair) => number | undefined) => over(pairs, ({ view }) => view.cell, read, estimateRatio);
  return {
    ...optional(
      'p50',
      ratio(({ view, other }) => other.p50 && view.p50 && other.p50 / view.p50),
    ),
    ...optional(
      'p99',
      ratio(({ view, other }) => other.p99 && view.p99 && other.p99 / view.p99),
    ),
    ...optional(
      'throughput',
      ratio(({ view, other }) => view.throughput && other.throughput && view.throughput / other.throughput),
    ),
    capacity: ratio(({ view, other }) => view.cell.capacity / other.cell.capacity)!,
    tokens: ratio(({ view, other }) => other.tokens / view.tokens)!,
    accuracyPoints: pairedPoints(pairs),
  };
}

/** Points of accuracy, question by question: both have answered the same ones, so that most of the chance cancels out. */
function pairedPoints(pairs: readonly Pair[]): Estimate {
  const groups = Map.groupBy(pairs, ({ view }) => view.cell.setting);
  const differences = ({ view, other }: Pair) =>
    Array.from(view.right, (right, at) => 100 * (Number(right) - Number(other.right[at])));
  return estimate(Array.from(groups.values(), (own) => own.flatMap(differences)));
}

function cellOf({ cell }: View): Cell {
  return cell;
}

/** Values grouped by setting, one per seed, and averaged; undefined where any is missing. */
function over<Item>(
  items: readonly Item[],
  whose: (item: Item) => Cell,
  read: (item: Item) => number | undefined,
  average: (groups: readonly (readonly number[])[]) => Estimate,
): Estimate | undefined {
  const groups = new Map<string, number[]>();
  for (const item of items) {
    const value = read(item);
    if (value === undefined) return undefined;
    const { setting } = whose(item);
    groups.set(setting, [...(groups.get(setting) ?? []), value]);
  }
  return average([...groups.values()]);
}

function optional<Key extends string>(key: Key, value: Estimate | undefined): { [K in Key]?: Estimate } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Estimate };
}

function unique<Item>(items: readonly Item[]): Item[] {
  return [...new Set(items)];
}
