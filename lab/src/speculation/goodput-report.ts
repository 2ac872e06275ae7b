// P4's figures in the simulator, beside the paper's: tables and one chart.

import { mean } from '@coppice/core/base';
import type { NamedChart } from '../experiment/experiment.ts';
import type { Chart } from '../experiment/svg.ts';
import { type LabTable, plainTable } from '../experiment/table.ts';
import { type EdgeCell, type EdgeStage, type EdgeTask, stageNames } from './edge-cells.ts';

export interface GoodputLine extends EdgeCell {
  /** Tokens per second. */
  readonly goodput: number;
  /** Over that without any part. */
  readonly gain: number;
  readonly completionMs: number;
  readonly tokens: number;
  /** Share of the generated tokens that were not needed, in percent. */
  readonly waste: number;
  /** Questions whose outcome differs from the one without. */
  readonly different: number;
  /** Of the time of the searches, the share that the generator would take alone; the reward model's is the rest. */
  readonly generating: number;
  /** Tokens whose keys and values the generator dropped for want of memory. */
  readonly evictedTokens: number;
}

const whole = 'P+M+S' satisfies EdgeStage;
/** What is held against something else than none. */
const comparisons = [[whole, "P4's baseline"]] as const satisfies readonly (readonly [EdgeStage, EdgeStage])[];

/** A chart has eight colours. */
const undrawn: ReadonlySet<EdgeStage> = new Set(['none']);

/** Gain of a stage by pair and beams, as a mean over tasks. */
export function goodputTable(lines: readonly GoodputLine[]): LabTable {
  const rows = comparedWith(lines).filter(({ name }) => name !== 'none');
  return cellTable(
    lines,
    'parts',
    rows.map((row) => ({ ...row, value: geometric })),
  );
}

interface ComparedLines {
  readonly name: string;
  readonly own: readonly GoodputLine[];
}

/** Every stage that was run over none, then the comparisons. */
function comparedWith(lines: readonly GoodputLine[]): ComparedLines[] {
  const stages = stageNames.map((name) => ({ name, own: lines.filter(({ stage }) => stage === name) }));
  const others = comparisons.map(([stage, base]) => ({
    name: `${stage} over ${base}`,
    own: heldAgainst(lines, stage, base),
  }));
  return [...stages, ...others].filter(({ own }) => own.length > 0);
}

/**
 * The GPU is never idle, so a search takes the time of its two models one after the other. Gives the gain left if one of them took no
 * time. With a free generator nothing is speculated.
 */
export function boundTable(lines: readonly GoodputLine[]): LabTable {
  const [none, all] = [lines.filter(({ stage }) => stage === 'none'), lines.filter(({ stage }) => stage === whole)];
  const percent = (own: readonly GoodputLine[]) => 100 * mean(own.map(({ generating }) => generating));
  return cellTable(lines, 'of the time', [
    { name: 'none: generator, %', own: none, value: percent, digits: 0 },
    { name: `${whole}: generator, %`, own: all, value: percent, digits: 0 },
    {
      name: 'goodput with a free generator',
      own: none.map((line) => raised(line, 1 - line.generating)),
      value: geometric,
    },
    { name: 'with a free reward model', own: all.map((line) => raised(line, line.generating)), value: geometric },
  ]);
}

function raised(line: GoodputLine, share: number): GoodputLine {
  return { ...line, gain: line.gain / share };
}

/** Of a stage, its goodput over that of another. */
function heldAgainst(lines: readonly GoodputLine[], stage: EdgeStage, base: EdgeStage): GoodputLine[] {
  const place = ({ seed, task, pair, beams }: GoodputLine) => [seed, task, pair, beams].join(' ');
  const others = new Map(lines.filter((line) => line.stage === base).map((line) => [place(line), line.goodput]));
  return lines
    .filter((line) => line.stage === stage && others.has(place(line)))
    .map((line) => ({ ...line, gain: line.goodput / others.get(place(line))! }));
}

interface CellRow extends ComparedLines {
  readonly value: (own: readonly GoodputLine[]) => number;
  readonly digits?: number;
}

/** A row of each kind for every pair, a column for each number of beams. */
function cellTable(lines: readonly GoodputLine[], kind: string, rows: readonly CellRow[]): LabTable {
  const beams = unique(lines.map((line) => line.beams));
  const cells = unique(lines.map(({ pair }) => pair)).flatMap((pair) =>
    rows.map(({ name, own, value, digits = 2 }) => [
      ...[pair, name],
      ...beams.map((count) => {
        const here = own.filter((line) => line.pair === pair && line.beams === count);
        return here.length === 0 ? '' : value(here).toFixed(digits);
      }),
    ]),
  );
  return plainTable(['models', kind, ...beams.map((count) => `${count}`)], cells);
}

/** Each stage over all cells that have it. */
export function stageTable(lines: readonly GoodputLine[]): LabTable {
  const rows = comparedWith(lines).map(({ name, own }) => stageRow(name, own));
  const head = [
    ...['parts', 'goodput, mean', 'geometric', 'geometric, seed by seed'],
    ...['range', 'completion sooner, %', 'waste, %', 'different'],
  ];
  return plainTable(head, rows);
}

function stageRow(name: string, own: readonly GoodputLine[]): string[] {
  const gains = own.map(({ gain }) => gain);
  const range = `${Math.min(...gains).toFixed(2)} to ${Math.max(...gains).toFixed(2)}`;
  const shorter = mean(own.map((line) => 100 * (1 - 1 / line.gain)));
  const waste = mean(own.map((line) => line.waste));
  const different = own.reduce((sum, line) => sum + line.different, 0);
  return [name, mean(gains), geometric(own), ofSeeds(own), range, shorter, waste, different].map(shown);
}

export function goodputChart(lines: readonly GoodputLine[], note: string): NamedChart {
  const tasks = unique(lines.map(({ task }) => task));
  const pairs = unique(lines.map(({ pair }) => pair));
  const counts = unique(lines.map(({ beams }) => beams));
  const panel = (task: EdgeTask, pair: string) => {
    const own = lines.filter((line) => line.task === task && line.pair === pair);
    const drawn = stageNames.filter((stage) => !undrawn.has(stage) && own.some((line) => line.stage === stage));
    return {
      title: `${task}, ${pair}`,
      xLabel: 'beams',
      yLabel: 'goodput over none',
      categories: counts.map(String),
      series: drawn.map((stage, colour) => ({ name: stage, colour, points: pointsOf(own, stage, counts) })),
    };
  };
  const panels = tasks.flatMap((task) => pairs.map((pair) => panel(task, pair)));
  const chart: Chart = { title: 'Goodput of beam search by parts (P4, figures 12 and 15)', note, panels, columns: 3 };
  return { name: 'p4-goodput', chart };
}

function pointsOf(
  lines: readonly GoodputLine[],
  stage: EdgeStage,
  counts: readonly number[],
): (readonly [number, number])[] {
  return counts.flatMap((beams, at) => {
    const own = lines.filter((line) => line.stage === stage && line.beams === beams);
    return own.length === 0 ? [] : [[at, geometric(own)] as const];
  });
}

function ofSeeds(lines: readonly GoodputLine[]): string {
  return unique(lines.map(({ seed }) => seed))
    .map((seed) => geometric(lines.filter((line) => line.seed === seed)).toFixed(2))
    .join(', ');
}

function geometric(lines: readonly GoodputLine[]): number {
  return Math.exp(mean(lines.map(({ gain }) => Math.log(gain))));
}

function shown(value: string | number): string {
  if (typeof value === 'string') return value;
  return Number.isInteger(value) ? `${value}` : value.toFixed(value < 10 ? 2 : 0);
}

function unique<Value>(values: readonly Value[]): Value[] {
  return [...new Set(values)];
}
