// What speculation gives, as tables and as one chart beside P3's: speed-up by program and by searches at a time (its figure 10), and how
// often guesses were right by distance and by depth (its figure 14).

import { type Guesses, type RowName, rightShares } from 'coppice/internals';
import { contenderOf } from '../sim/contenders.ts';
import type { Figure } from '../sim/p0-figures.ts';
import { type Panel, svgOf } from '../svg.ts';
import { type CompanyLine, type SpeculationLine, widthInCompany } from './p3.ts';

/** As a table of Markdown. */
export function speculationTable(lines: readonly SpeculationLine[]): string {
  const head =
    'row | speculate | p50 s | speed-up, median | speed-up, mean | tokens | waste, % | right 1, 2, 3 steps ahead, % | right at depth 1 to 8, % | different';
  const rows = lines.map((line) => {
    const { row, speculate, p50Ms, tokens } = line;
    const gains = speculate === 0 ? ['', '', tokens.toFixed(0), '', '', '', ''] : gainCells(line);
    return [`\`${row}\``, speculate, (p50Ms / 1000).toFixed(1), ...gains].join(' | ');
  });
  return [head, '---|--:|--:|--:|--:|--:|--:|---|---|--:', ...rows].map((line) => `| ${line} |`).join('\n');
}

function gainCells({ medianGain, meanGain, tokens, waste, byDistance, byDepth, different }: SpeculationLine): string[] {
  return [
    ...[medianGain.toFixed(2), meanGain.toFixed(2), tokens.toFixed(0), waste.toFixed(0)],
    ...[rightShares(byDistance, 3), rightShares(byDepth, 8), String(different)],
  ];
}

export function companyTable(lines: readonly CompanyLine[]): string {
  const head = `row | searches at a time | a minute, without | with speculate ${widthInCompany} | speed-up | waste, %`;
  const rows = lines.map(({ row, together, perMinute: pace, perMinuteWithout: without, waste }) => {
    const gains = [without.toFixed(1), pace.toFixed(1), (pace / without).toFixed(2), waste.toFixed(0)];
    return [`\`${row}\``, together, ...gains].join(' | ');
  });
  return [head, '---|--:|--:|--:|--:|--:', ...rows].map((line) => `| ${line} |`).join('\n');
}

type ChartPoint = readonly [x: number, y: number];
const kinds = ['depth-first', 'breadth-first'] as const;
/** As many as a chart has. */
const colours = 8;

export function speculationFigure(
  lines: readonly SpeculationLine[],
  company: readonly CompanyLine[],
  note: string,
): Figure {
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
  return { name: 'p3-speculation', svg: svgOf({ title, note, panels, columns: 4 }), data: { lines, company } };
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
