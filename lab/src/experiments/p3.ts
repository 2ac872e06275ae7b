// The gain of speculation for a single search and for several at a time, simulated (P3 §6.2): every kind of program with and without it, on the same
// questions and an idle machine. Time is that of the whole search. Waste is the share of tokens that the search without speculation does not need.
// A guess is right if the program later asks for it. Answers are compared one by one: none may differ.

import { mean } from '@coppice/core/base';
import { addGuesses, type Guesses } from '@coppice/core/log';
import type { LabExperiment, MeasuredCell } from '../experiment/experiment.ts';
import type { LabPlan } from '../experiment/plan.ts';
import { type LabTable, type TableColumn, tableOf } from '../experiment/table.ts';
import { outcomeOf, type RowName, tookMs } from '../service/index.ts';
import { placesOf, type SeededSetting, specOf } from '../sim/comparison.ts';
import type { TrialSpec } from '../sim/trial.ts';
import { speculationChart } from '../speculation/speculation-chart.ts';
import { type CompanyLine, type SpeculationLine, widthInCompany } from '../speculation/speculation-lines.ts';
import { percentile } from '../statistics.ts';

/** Most speculative strands of a search. */
const speculativeWidths = [2, 4, 8] as const;
/** Searches at a time, beside one. */
const companies = [4, 16] as const;

interface SpeculationCell extends SeededSetting {
  readonly row: RowName;
  readonly speculate: number;
  readonly together: number;
  readonly spec: TrialSpec;
}

/** Question by question. */
interface ServedRow {
  readonly tookMs: readonly number[];
  readonly tokens: readonly number[];
  readonly outcomes: readonly string[];
  /** From the first arrival to the last end, over all places. */
  readonly spanMs: number;
  readonly byDistance: readonly Guesses[];
  readonly byDepth: readonly Guesses[];
}

type SpeculationResults = readonly MeasuredCell<SpeculationCell, ServedRow>[];

export const p3: LabExperiment<SpeculationCell, ServedRow> = {
  name: 'p3',
  about: 'what speculation gives: every kind of program with and without, one search at a time and several',
  page: 'experiments/p3.md',
  takes: '30 minutes',
  published: [''],
  preset: {
    settings: ['math500/8b', 'amc23/14b'],
    requests: 130,
    rows: [
      ...['vanilla', 'positive', 'best-first', 'best-first+positive', 'rest', 'rstar'],
      ...['beam', 'dvts', 'rebase', 'ets'],
    ],
  },
  flags: [
    ...(['setting', 'policy', 'seed', 'seeds', 'requests', 'budget', 'rollouts', 'threshold'] as const),
    ...(['roofline', 'machine', 'no-prefix-reuse', 'trees'] as const),
  ],
  leastRequests: 1,
  cells: (plan) =>
    plan.rows.flatMap((row) => [
      ...[0, ...speculativeWidths].flatMap((speculate) => cellsOf(plan, row, speculate, 1)),
      ...companies.flatMap((together) =>
        [0, widthInCompany].flatMap((speculate) => cellsOf(plan, row, speculate, together)),
      ),
    ]),
  measure: async ({ spec }, trials) => {
    const { served, growth } = await trials.run(spec);
    return {
      tookMs: served.map(tookMs),
      tokens: served.map(({ tokens }) => tokens),
      outcomes: served.map(outcomeOf),
      spanMs: Math.max(...served.map(({ endedMs }) => endedMs)),
      byDistance: growth.byDistance,
      byDepth: growth.byDepth,
    };
  },
  report: (found, { settings, seeds, requests, budget, rows }) => {
    const lines = rows.flatMap((row) => speculationLines(found, row));
    const company = rows.flatMap((row) => companyLines(found, row));
    const head = `Simulated: ${settings.join(', ')}; seeds ${seeds.join(', ')}; ${requests} questions a run; M = ${budget} strands.`;
    return {
      head,
      body: ['One search at a time:', speculationTable(lines), 'Several at a time:', companyTable(company)],
      charts: [speculationChart(lines, company, head)],
      data: { lines, company },
    };
  },
};

function cellsOf(plan: LabPlan, row: RowName, speculate: number, together: number): SpeculationCell[] {
  const ahead = speculate === 0 ? row : `${row}:speculate=${speculate}`;
  return placesOf(plan).map((place) => {
    const spec = specOf(plan, { ...place, row: ahead }, { kind: 'one-by-one', together });
    return { ...place, row, speculate, together, spec };
  });
}

/** All places of a row as one. */
function servedBy(found: SpeculationResults, row: RowName, speculate: number, together: number): ServedRow {
  const own = found
    .filter(({ cell }) => cell.row === row && cell.speculate === speculate && cell.together === together)
    .map(({ result }) => result);
  const [byDistance, byDepth]: [Guesses[], Guesses[]] = [[], []];
  for (const each of own) {
    addGuesses(byDistance, each.byDistance);
    addGuesses(byDepth, each.byDepth);
  }
  return {
    tookMs: own.flatMap((each) => each.tookMs),
    tokens: own.flatMap((each) => each.tokens),
    outcomes: own.flatMap((each) => each.outcomes),
    spanMs: own.reduce((sum, { spanMs }) => sum + spanMs, 0),
    byDistance,
    byDepth,
  };
}

function speculationLines(found: SpeculationResults, row: RowName): SpeculationLine[] {
  const without = servedBy(found, row, 0, 1);
  return [0, ...speculativeWidths].map((speculate) => {
    const ahead = servedBy(found, row, speculate, 1);
    const p50Ms = percentile(ahead.tookMs, 50);
    return {
      row,
      speculate,
      p50Ms,
      tokens: mean(ahead.tokens),
      medianGain: percentile(without.tookMs, 50) / p50Ms,
      meanGain: Math.exp(mean(ahead.tookMs.map((ms, at) => Math.log(without.tookMs[at]! / ms)))),
      waste: wasteOf(ahead, without),
      byDistance: ahead.byDistance,
      byDepth: ahead.byDepth,
      different: ahead.outcomes.filter((each, at) => each !== without.outcomes[at]).length,
    };
  });
}

function companyLines(found: SpeculationResults, row: RowName): CompanyLine[] {
  return companies.map((together) => {
    const [without, ahead] = [servedBy(found, row, 0, together), servedBy(found, row, widthInCompany, together)];
    const perMinute = ({ tookMs, spanMs }: ServedRow) => (60_000 * tookMs.length) / spanMs;
    const paces = { perMinute: perMinute(ahead), perMinuteWithout: perMinute(without) };
    return { row, together, ...paces, waste: wasteOf(ahead, without) };
  });
}

function wasteOf(ahead: ServedRow, without: ServedRow): number {
  return 100 * (1 - mean(without.tokens) / mean(ahead.tokens));
}

/** Empty where nothing is speculated. */
function ahead(text: (line: SpeculationLine) => string): TableColumn<SpeculationLine>['of'] {
  return (line) => (line.speculate === 0 ? '' : text(line));
}

function speculationTable(lines: readonly SpeculationLine[]): LabTable {
  const columns: readonly TableColumn<SpeculationLine>[] = [
    { heading: 'row', left: true, of: ({ row }) => `\`${row}\`` },
    { heading: 'speculate', of: ({ speculate }) => speculate },
    { heading: 'p50 s', of: ({ p50Ms }) => (p50Ms / 1000).toFixed(1) },
    { heading: 'speed-up, median', of: ahead(({ medianGain }) => medianGain.toFixed(2)) },
    { heading: 'speed-up, mean', of: ahead(({ meanGain }) => meanGain.toFixed(2)) },
    { heading: 'tokens', of: ({ tokens }) => tokens.toFixed(0) },
    { heading: 'waste, %', of: ahead(({ waste }) => waste.toFixed(0)) },
    { heading: 'right 1, 2, 3 steps ahead, %', left: true, of: ahead(({ byDistance }) => rightShares(byDistance, 3)) },
    { heading: 'right at depth 1 to 8, %', left: true, of: ahead(({ byDepth }) => rightShares(byDepth, 8)) },
    { heading: 'different', of: ahead(({ different }) => String(different)) },
  ];
  return tableOf(columns, lines);
}

function companyTable(lines: readonly CompanyLine[]): LabTable {
  return tableOf<CompanyLine>(
    [
      { heading: 'row', left: true, of: ({ row }) => `\`${row}\`` },
      { heading: 'searches at a time', of: ({ together }) => together },
      { heading: 'a minute, without', of: ({ perMinuteWithout }) => perMinuteWithout.toFixed(1) },
      { heading: `with speculate ${widthInCompany}`, of: ({ perMinute }) => perMinute.toFixed(1) },
      { heading: 'speed-up', of: ({ perMinute, perMinuteWithout }) => (perMinute / perMinuteWithout).toFixed(2) },
      { heading: 'waste, %', of: ({ waste }) => waste.toFixed(0) },
    ],
    lines,
  );
}

/** In percent, one after the other; `-` where nothing was guessed. */
function rightShares(guesses: readonly Guesses[], most: number): string {
  const shown = guesses.slice(0, most);
  return shown.map(({ guessed, right }) => (guessed === 0 ? '-' : ((100 * right) / guessed).toFixed(0))).join(', ');
}
