// Service levels as in P1's Fig. 9: attainment over the arrival rate, over the tightness of deadlines, and accuracy over attainment by cap.

import { mean } from '@coppice/core/base';
import type { NamedChart } from '../experiment/experiment.ts';
import type { Panel, Series } from '../experiment/svg.ts';
import { cellsIn, workloadsOf } from './level-tables.ts';
import { capLoad, capRows, capScale, fineScales, type LevelCell, readLoads, scales } from './rates.ts';
import { baselines, type OrderRow, orderRows } from './workloads.ts';

/** Two charts per workload. */
export function levelCharts(cells: readonly LevelCell[], note: string): NamedChart[] {
  const chart = (title: string, panels: readonly Panel[]) => ({ title, note, panels, columns: 3 });
  return workloadsOf(cells).flatMap(([name, own]) => [
    { name: `p1-levels-${name}`, chart: chart(`Deadlines kept, ${name} (simulated)`, ratePanels(own)) },
    {
      name: `p1-tightness-${name}`,
      chart: chart(`Deadlines kept by tightness and by cap, ${name} (simulated)`, [...tightPanels(own), capPanel(own)]),
    },
  ]);
}

function ratePanels(own: readonly LevelCell[]): Panel[] {
  return scales.map((scale, at) => ({
    title: `scale ${scale}`,
    xLabel: 'arrivals over capacity',
    yLabel: 'attained, %',
    series: orderRows.map((row) => {
      const mine = cellsIn(own, row);
      const points = loadsOfAll(mine).map(
        (load) => [load, mean(mine.map(({ attained }) => byScaleAt(attained, load)[at]!))] as const,
      );
      return lineOf(row, points);
    }),
  }));
}

/** Loads that every seed has run. */
function loadsOfAll(mine: readonly LevelCell[]): number[] {
  return mine[0]!.attained
    .map(({ load }) => load)
    .filter((load) => mine.every(({ attained }) => attained.some((each) => each.load === load)));
}

function byScaleAt(attained: LevelCell['attained'], load: number): readonly number[] {
  return attained.find((each) => each.load === load)!.byScale;
}

function tightPanels(own: readonly LevelCell[]): Panel[] {
  return readLoads.map((load, at) => ({
    title: `${load} of the capacity`,
    xLabel: 'scale of deadlines',
    yLabel: 'attained, %',
    series: orderRows.map((row) => {
      const mine = cellsIn(own, row);
      const points = fineScales.map(
        (scale, step) => [scale, mean(mine.map(({ byTightness }) => byTightness[at]![step]!))] as const,
      );
      return lineOf(row, points);
    }),
  }));
}

function capPanel(own: readonly LevelCell[]): Panel {
  return {
    title: `caps at load ${capLoad}, scale ${capScale}`,
    xLabel: 'accuracy, %',
    yLabel: 'attained, %',
    series: capRows.map((row) => {
      const mine = cellsIn(own, row);
      const over = (read: (cap: LevelCell['caps'][number]) => number, at: number) =>
        mean(mine.map(({ caps }) => read(caps[at]!)));
      const points = mine[0]!.caps.map(
        (_, at) => [over(({ accuracy }) => accuracy, at), over(({ attained }) => attained, at)] as const,
      );
      return lineOf(row, points);
    }),
  };
}

function lineOf(row: OrderRow, points: Series['points']): Series {
  const dashed = baselines.some((each) => each === row) ? { dashed: true } : {};
  return { name: row, colour: orderRows.indexOf(row), points, ...dashed };
}
