// The gain of speculation as one chart beside P3's: speed-up by program and by searches at a time (its figure 10), and the share of right
// guesses by distance and by depth (its figure 14).

import type { Guesses } from '@coppice/core/log';
import type { NamedChart } from '../experiment/experiment.ts';
import type { Panel } from '../experiment/svg.ts';
import type { RowName } from '../service/index.ts';
import { contenderOf } from '../sim/contenders.ts';
import { type CompanyLine, type SpeculationLine, widthInCompany } from './speculation-lines.ts';

type ChartPoint = readonly [x: number, y: number];
const kinds = ['depth-first', 'breadth-first'] as const;
/** As many as a chart has. */
const colours = 8;

export function speculationChart(
  lines: readonly SpeculationLine[],
  company: readonly CompanyLine[],
  note: string,
): NamedChart {
  const rows = [...new Set(lines.map(({ row }) => row))];
  const panels = kinds.flatMap((kind) => {
    const own = rows.filter((row) => kindOf(row) === kind);
    const dashed = kind === 'breadth-first';
    const panel = (title: string, xLabel: string, pointsOf: (row: RowName) => ChartPoint[]): Panel => ({
      title: `${title}, ${kind}`,
      xLabel,
      yLabel: title,
      series: own.map((row) => ({ name: row, colour: rows.indexOf(row) % colours, points: pointsOf(row), dashed })),
    });
    const usual = (row: RowName) => lines.find((line) => line.row === row && line.speculate === widthInCompany);
    return [
      panel('Speed-up of one search', 'speculative strands', (row) => gainsOf(lines, row)),
      panel('Speed-up of several', 'searches at a time', (row) => paceGains(company, row)),
      panel('Guesses right, %', 'steps ahead of the tree', (row) => sharesOf(usual(row)?.byDistance.slice(0, 4))),
      panel('Guesses right, %', 'depth', (row) => sharesOf(usual(row)?.byDepth.slice(0, 10))),
    ];
  });
  const title = "What speculation gives, simulated (P3's figures 10 and 14)";
  return { name: 'p3-speculation', chart: { title, note, panels, columns: 4 } };
}

function kindOf(row: RowName): (typeof kinds)[number] {
  return ['mcts', 'rest', 'rstar'].includes(contenderOf(row).program) ? 'depth-first' : 'breadth-first';
}

function gainsOf(lines: readonly SpeculationLine[], row: RowName): ChartPoint[] {
  return lines.filter((line) => line.row === row).map(({ speculate, medianGain }) => [speculate, medianGain]);
}

function paceGains(company: readonly CompanyLine[], row: RowName): ChartPoint[] {
  const own = company.filter((line) => line.row === row);
  return own.map(({ together, perMinute, perMinuteWithout }) => [together, perMinute / perMinuteWithout]);
}

function sharesOf(guesses: readonly Guesses[] = []): ChartPoint[] {
  return guesses.flatMap(({ guessed, right }, at) =>
    guessed === 0 ? [] : [[at + 1, (100 * right) / guessed] as const],
  );
}
