// P3's figures 12 and 13: speculation beside a generator that predicts several tokens at a time, and the cost of speculation for the steps that
// programs request: the generator's time per token, and the reward model's latency.

import type { LabExperiment, MeasuredCell } from '../experiment/experiment.ts';
import { type LabTable, tableOf } from '../experiment/table.ts';
import { type RowName, tookMs } from '../service/index.ts';
import { type AnswerTimes, noTimes } from '../sim/answer-times.ts';
import { placesOf, type SeededSetting, specOf } from '../sim/comparison.ts';
import type { TokenTree } from '../sim/drafted-cost.ts';
import type { TrialSpec } from '../sim/trial.ts';

interface OverheadCell extends SeededSetting {
  readonly row: RowName;
  readonly together: number;
  readonly speculates: boolean;
  readonly drafts: boolean;
  readonly spec: TrialSpec;
}

interface OverheadRun {
  /** From the first arrival to the last end. */
  readonly spanMs: number;
  /** Of all searches. */
  readonly tookMs: number;
  readonly times: AnswerTimes;
}

interface OverheadProgram {
  /** Rollouts, or paths. */
  readonly size: number;
  /** By searches at a time. The paper gives the tokens; how many of them are accepted is assumed. */
  readonly trees: Readonly<Record<number, TokenTree>>;
}

const wide: TokenTree = { tokens: 16, accepted: 2.2 };
const programs: Readonly<Record<string, OverheadProgram>> = {
  rest: { size: 10, trees: {} },
  rstar: { size: 10, trees: { 1: wide, 4: wide, 8: wide } },
  rebase: { size: 8, trees: { 1: wide, 4: { tokens: 8, accepted: 2 }, 8: { tokens: 4, accepted: 1.8 } } },
};
/** Searches at a time; token trees are tried up to 8, as in the paper. */
const companies = [1, 4, 8, 16] as const;
const speculate = 4;

export const p3Overhead: LabExperiment<OverheadCell, OverheadRun> = {
  name: 'p3-overhead',
  about: "P3's figures 12 (beside multi-token prediction) and 13 (what speculation costs other steps)",
  page: 'experiments/p3.md',
  takes: '5 minutes',
  published: [''],
  preset: { settings: ['math500/8b'], rows: Object.keys(programs), seeds: [1, 2, 3], requests: 96 },
  flags: ['setting', 'policy', 'seed', 'seeds', 'requests'],
  leastRequests: 16,
  ownRows: true,
  cells: (plan) =>
    plan.rows.flatMap((row) =>
      companies.flatMap((together) =>
        [false, true].flatMap((drafts) =>
          [false, true].flatMap((speculates) => {
            const { size, trees } = programs[row]!;
            const drafted = drafts ? trees[together] : undefined;
            if (drafts && drafted === undefined) return [];
            return placesOf(plan).map((place) => {
              const spot = { ...place, row: speculates ? `${row}:speculate=${speculate}` : row };
              const base = specOf(plan, spot, { kind: 'one-by-one', together });
              const spec = { ...base, rollouts: size, ...(drafted && { drafted }) };
              return { ...place, row, together, speculates, drafts, spec };
            });
          }),
        ),
      ),
    ),
  measure: async ({ spec }, trials) => {
    const { served, times } = await trials.run(spec);
    const spanMs = Math.max(...served.map(({ endedMs }) => endedMs));
    return { spanMs, tookMs: served.reduce((sum, each) => sum + tookMs(each), 0), times };
  },
  report: (found, { settings, seeds, requests }) => {
    const head = `Simulated: ${settings.join(', ')}; seeds ${seeds.join(', ')}; ${requests} questions a run; speculate ${speculate}.`;
    const lines = [...Map.groupBy(found, ({ cell }) => `${cell.row} ${cell.together}`).values()].map(overheadLine);
    return {
      head,
      body: ['Figure 12, throughput over neither:', gainTable(lines), 'Figure 13:', overheadTable(lines)],
      data: { lines },
    };
  },
};

interface OverheadLine {
  readonly row: RowName;
  readonly together: number;
  /** Throughput over that with neither; undefined where no token trees are tried. */
  readonly speculation: number;
  readonly prediction: number | undefined;
  readonly both: number | undefined;
  /** Without speculation and with it. */
  readonly tokenMs: readonly [number, number];
  readonly scoreMs: readonly [number, number];
}

function overheadLine(own: readonly MeasuredCell<OverheadCell, OverheadRun>[]): OverheadLine {
  const runs = (speculates: boolean, drafts: boolean) =>
    own.flatMap(({ cell, result }) => (cell.speculates === speculates && cell.drafts === drafts ? [result] : []));
  const span = (speculates: boolean, drafts: boolean) =>
    runs(speculates, drafts).reduce((sum, { spanMs }) => sum + spanMs, 0);
  const gain = (speculates: boolean, drafts: boolean) => span(false, false) / span(speculates, drafts);
  const drafts = runs(false, true).length > 0;
  const times = [totalOf(runs(false, false)), totalOf(runs(true, false))] as const;
  const { row, together } = own[0]!.cell;
  return {
    row,
    together,
    speculation: gain(true, false),
    prediction: drafts ? gain(false, true) : undefined,
    both: drafts ? gain(true, true) : undefined,
    tokenMs: [times[0].stepMs / times[0].tokens, times[1].stepMs / times[1].tokens],
    scoreMs: [times[0].scoreMs / times[0].scores, times[1].scoreMs / times[1].scores],
  };
}

function totalOf(runs: readonly OverheadRun[]): AnswerTimes {
  const sum = noTimes();
  for (const { times } of runs) for (const key of Object.keys(sum) as (keyof AnswerTimes)[]) sum[key] += times[key];
  return sum;
}

function gainTable(lines: readonly OverheadLine[]): LabTable {
  const shown = (value: number | undefined) => value?.toFixed(2) ?? '';
  return tableOf<OverheadLine>(
    [
      { heading: 'program', left: true, of: ({ row }) => `${row}-${programs[row]!.size}` },
      { heading: 'searches at a time', of: ({ together }) => together },
      { heading: 'multi-token prediction', of: ({ prediction }) => shown(prediction) },
      { heading: 'speculation', of: ({ speculation }) => shown(speculation) },
      { heading: 'both', of: ({ both }) => shown(both) },
    ],
    lines.filter(({ both }) => both !== undefined),
  );
}

function overheadTable(lines: readonly OverheadLine[]): LabTable {
  const more = ([before, after]: readonly [number, number]) => (100 * (after / before - 1)).toFixed(0);
  return tableOf<OverheadLine>(
    [
      { heading: 'program', left: true, of: ({ row }) => `${row}-${programs[row]!.size}` },
      { heading: 'searches at a time', of: ({ together }) => together },
      { heading: 'ms a token', of: ({ tokenMs }) => tokenMs[0].toFixed(2) },
      { heading: 'with speculation', of: ({ tokenMs }) => tokenMs[1].toFixed(2) },
      { heading: 'more, %', of: ({ tokenMs }) => more(tokenMs) },
      { heading: 'ms a score', of: ({ scoreMs }) => shownMs(scoreMs[0]) },
      { heading: 'with speculation', of: ({ scoreMs }) => shownMs(scoreMs[1]) },
    ],
    lines,
  );
}

/** Empty where a program asks for no scores. */
function shownMs(ms: number): string {
  return Number.isNaN(ms) ? '' : ms.toFixed(1);
}
