// The figures of P4 as the simulator sees them, beside what the paper says: tables of Markdown and one chart.

import type { Figure } from '../sim/p0-figures.ts';
import { mean } from '../statistics.ts';
import { type Chart, svgOf } from '../svg.ts';
import { type EdgeStage, type EdgeTask, type GoodputLine, stageNames } from './p4.ts';

/** Gain of a stage by pair and beams, its mean over tasks. */
export function goodputTable(lines: readonly GoodputLine[]): string {
  const beams = unique(lines.map((line) => line.beams));
  const rows = unique(lines.map(({ pair }) => pair)).flatMap((pair) =>
    stageNames
      .filter((stage) => stage !== 'none')
      .map((stage) => {
        const cells = beams.map((count) =>
          lines.filter((line) => line.pair === pair && line.stage === stage && line.beams === count),
        );
        return [pair, stage, ...cells.map((own) => (own.length === 0 ? '' : geometric(own).toFixed(2)))];
      }),
  );
  return table(['models', 'parts', ...beams.map((count) => `${count}`)], rows);
}

/** Of every stage over all cells that have it. */
export function stageTable(lines: readonly GoodputLine[]): string {
  const rows = stageNames.flatMap((stage) => {
    const own = lines.filter((line) => line.stage === stage);
    if (own.length === 0) return [];
    const gains = own.map(({ gain }) => gain);
    const range = `${Math.min(...gains).toFixed(2)} to ${Math.max(...gains).toFixed(2)}`;
    const shorter = mean(own.map((line) => 100 * (1 - 1 / line.gain)));
    const waste = mean(own.map((line) => line.waste));
    const different = own.reduce((sum, line) => sum + line.different, 0);
    return [[stage, mean(gains), geometric(own), ofSeeds(own), range, shorter, waste, different].map(shown)];
  });
  const head = [
    ...['parts', 'goodput, mean', 'geometric', 'geometric, seed by seed'],
    ...['range', 'completion sooner, %', 'waste, %', 'different'],
  ];
  return table(head, rows);
}

export function goodputChart(lines: readonly GoodputLine[], note: string): Figure {
  const tasks = unique(lines.map(({ task }) => task));
  const pairs = unique(lines.map(({ pair }) => pair));
  const counts = unique(lines.map(({ beams }) => beams));
  const panel = (task: EdgeTask, pair: string) => {
    const own = lines.filter((line) => line.task === task && line.pair === pair);
    const drawn = stageNames.filter((stage) => stage !== 'none' && own.some((line) => line.stage === stage));
    return {
      ...{ title: `${task}, ${pair}`, xLabel: 'beams', yLabel: 'goodput over none' },
      categories: counts.map(String),
      series: drawn.map((stage, colour) => ({ name: stage, colour, points: pointsOf(own, stage, counts) })),
    };
  };
  const panels = tasks.flatMap((task) => pairs.map((pair) => panel(task, pair)));
  const chart: Chart = { title: 'Goodput of beam search by parts (P4, figures 12 and 15)', note, panels, columns: 3 };
  return { name: 'p4-goodput', svg: svgOf(chart), data: lines };
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

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map((_, at) => (at < 1 ? '---' : '--:')), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
