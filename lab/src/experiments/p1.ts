// Token-to-accuracy of P1 §6.2, simulated: self-consistency, MCTS, REBASE and probed chains, each with and without exits of certainty, on
// the same questions. Without an exit every question gets the whole cap (the paper's baseline-even).

import type { ProgramName } from 'coppice';
import type { LabExperiment, LabReport, MeasuredCell, NamedChart } from '../experiment/experiment.ts';
import type { LabPlan } from '../experiment/plan.ts';
import type { Series } from '../experiment/svg.ts';
import { type LabTable, type TableColumn, tableOf, withHalf } from '../experiment/table.ts';
import type { LostSettings } from '../lost/lost-search.ts';
import { type TurnedWish, type Yield, yieldOf } from '../service/index.ts';
import { placesOf, type SeededSetting, specOf } from '../sim/comparison.ts';
import type { TrialSpec } from '../sim/trial.ts';
import { type Estimate, estimate } from '../statistics.ts';
import { type CertaintyFamily, certaintyFamilies } from './certainty-families.ts';

export interface CertaintyCell extends SeededSetting {
  readonly program: ProgramName;
  readonly cap: number;
  readonly rule: string;
  readonly spec: TrialSpec;
}

export const p1: LabExperiment<CertaintyCell, Yield> = {
  name: 'p1',
  about: "token-to-accuracy with and without exits of certainty, at the caps of P1's table 2",
  page: 'experiments/p1.md',
  takes: '3 hours',
  published: [
    '',
    '--policy vanilla --setting math500/8b --seed 101 --seeds 12 --requests 250',
    '--policy self-consistency --setting math500/8b --seed 101 --seeds 12 --requests 250',
    '--policy rebase --setting math500/8b --seed 101 --seeds 24 --requests 250',
    '--policy chain --setting math500/8b --seeds 3',
  ],
  preset: {
    settings: ['math500/8b', 'amc23/8b'],
    rows: certaintyFamilies.map(({ row }) => row),
    seeds: [1, 2, 3],
    requests: 160,
  },
  flags: [
    'setting',
    'policy',
    'seed',
    'seeds',
    'requests',
    'budget',
    'threshold',
    'no-prefix-reuse',
    'roofline',
    'trees',
  ],
  ownRows: true,
  cells: (plan) => certaintyCells(plan, certaintyFamilies),
  measure: async ({ spec }, trials) => yieldOf(await trials.run(spec)),
  report: (found, plan) => certaintyReport(found, plan, 'p1'),
};

/** A recording has so many samples of a question: more would be twins. */
const recordedSamples = 16;

export function certaintyCells(plan: LabPlan, families: readonly CertaintyFamily[]): CertaintyCell[] {
  return families
    .filter(({ row }) => plan.rows.includes(row))
    .flatMap((family) =>
      family.caps
        .filter((cap) => plan.trees === undefined || cap <= recordedSamples)
        .flatMap((cap) => cellsAt(plan, family, cap)),
    );
}

/** `name`: prefix of its charts' names. */
export function certaintyReport(
  found: readonly MeasuredCell<CertaintyCell, Yield>[],
  { settings, seeds, requests, trees }: LabPlan,
  name: string,
): LabReport {
  const lines = certaintyLines(found);
  const from = trees === undefined ? settings.join(', ') : `recorded trees ${trees}`;
  const head = `Simulated machine: ${from}; seeds ${seeds.join(', ')}; ${requests} questions a run, all at once; policy vanilla.`;
  return { head, body: [certaintyTable(lines)], charts: certaintyCharts(lines, head, name), data: { lines } };
}

function cellsAt(plan: LabPlan, family: CertaintyFamily, cap: number): CertaintyCell[] {
  const rules: CertaintyFamily['rules'] = [['none', {}], ...family.rules];
  return rules.flatMap(([rule, knobs, lost]) =>
    placesOf(plan).map((place) => {
      const spec = certaintySpec(plan, place, family, cap, { ...family.knobs, ...knobs }, lost);
      return { program: family.program, cap, rule, ...place, spec };
    }),
  );
}

function certaintySpec(
  plan: LabPlan,
  place: SeededSetting,
  { row, program, profile }: CertaintyFamily,
  cap: number,
  knobs: TurnedWish,
  lost: LostSettings | undefined,
): TrialSpec {
  return {
    ...specOf(plan, { ...place, row }, { kind: 'backlog' }),
    ...(profile && { profile }),
    contender: { program, policy: 'vanilla', knobs, ...(lost && { lost }) },
    rollouts: cap,
  };
}

interface CertaintyLine {
  readonly program: ProgramName;
  readonly cap: number;
  readonly rule: string;
  readonly tokens: number;
  /** In percent. */
  readonly accuracy: number;
  /** Searches that ended because they were certain, in percent. */
  readonly certain: number;
  /** Against no rule at the same cap, question by question: tokens in percent, accuracy in points. */
  readonly saved: Estimate;
  readonly points: Estimate;
}

function certaintyLines(found: readonly MeasuredCell<CertaintyCell, Yield>[]): CertaintyLine[] {
  const caps = Map.groupBy(found, ({ cell: { program, cap } }) => `${program} ${cap}`);
  return [...caps.values()].flatMap((own) => {
    const rules = [...Map.groupBy(own, ({ cell }) => cell.rule).values()];
    return rules.map((rows) => certaintyLine(rows, rules[0]!));
  });
}

/** A rule beside none, both in the order of their places. */
function certaintyLine(
  own: readonly MeasuredCell<CertaintyCell, Yield>[],
  even: readonly MeasuredCell<CertaintyCell, Yield>[],
): CertaintyLine {
  const over = (read: (own: Yield, even: Yield) => number) => {
    const values = own.map(({ cell, result }, at) => ({ ...cell, value: read(result, even[at]!.result) }));
    const settings = Map.groupBy(values, ({ setting }) => setting);
    return estimate(Array.from(settings.values(), (some) => some.map(({ value }) => value)));
  };
  const { program, cap, rule } = own[0]!.cell;
  return {
    program,
    cap,
    rule,
    tokens: over(({ tokens }) => tokens).value,
    accuracy: over(({ accuracy }) => accuracy).value,
    certain: over(({ exits }) => exits.certain ?? 0).value,
    saved: over(({ tokens }, none) => 100 * (1 - tokens / none.tokens)),
    points: over(({ accuracy }, none) => accuracy - none.accuracy),
  };
}

const columns: readonly TableColumn<CertaintyLine>[] = [
  { heading: 'program', left: true, of: ({ program }) => program },
  { heading: 'cap', of: ({ cap }) => cap },
  { heading: 'rule', left: true, of: ({ rule }) => rule },
  { heading: 'tokens', of: ({ tokens }) => tokens.toFixed(0) },
  { heading: 'accuracy, %', of: ({ accuracy }) => accuracy.toFixed(1) },
  { heading: 'certain, %', of: ({ certain }) => certain.toFixed(0) },
  { heading: 'tokens saved, %', of: ({ rule, saved }) => (rule === 'none' ? '' : withHalf(saved, 1)) },
  { heading: 'accuracy, points', of: ({ rule, points }) => (rule === 'none' ? '' : withHalf(points, 1)) },
];

/** One row per program, cap and rule. */
export function certaintyTable(lines: readonly CertaintyLine[]): LabTable {
  return tableOf(columns, lines);
}

/** Token-to-accuracy: a chart per program, a line per rule, a point per cap. */
export function certaintyCharts(lines: readonly CertaintyLine[], note: string, name: string): NamedChart[] {
  return [...Map.groupBy(lines, ({ program }) => program)].map(([program, own]) => {
    const series = [...Map.groupBy(own, ({ rule }) => rule)].map(([rule, some], at): Series => {
      const points = some.map(({ tokens, accuracy }) => [tokens, accuracy] as const);
      return rule === 'none'
        ? { name: 'no exit', colour: 7, points, dashed: true }
        : { name: rule, colour: at - 1, points };
    });
    const panel = { title: program, xLabel: 'tokens per question', yLabel: 'accuracy, %', series, zoomed: true };
    const title = 'Token-to-accuracy, exits of certainty (simulated)';
    return { name: `${name}-${program}`, chart: { title, note, panels: [panel], columns: 1 } };
  });
}
