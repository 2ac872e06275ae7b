// P3's table 2: the effect of early termination (§4.4, `certain: margin`, with speculation) on right answers, its four programs at its two sizes each,
// paired question by question. With --trees on a real model's samples.

import { mean } from '@coppice/core/base';
import type { LabExperiment, MeasuredCell } from '../experiment/experiment.ts';
import { type LabTable, tableOf, withHalf } from '../experiment/table.ts';
import type { RowName } from '../service/index.ts';
import { placesOf, type SeededSetting, specOf } from '../sim/comparison.ts';
import type { TrialSpec } from '../sim/trial.ts';
import { type Estimate, estimate } from '../statistics.ts';

interface TerminationCell extends SeededSetting {
  readonly row: RowName;
  /** Rollouts, or paths. */
  readonly size: number;
  readonly ends: boolean;
  readonly spec: TrialSpec;
}

/** Question by question. */
interface TerminationRun {
  readonly right: readonly boolean[];
  readonly tokens: readonly number[];
  readonly certain: readonly boolean[];
}

const sizes: Readonly<Record<string, readonly number[]>> = {
  rest: [5, 10],
  rstar: [5, 10],
  rebase: [8, 16],
  ets: [8, 16],
};
const speculate = 4;

export const p3Termination: LabExperiment<TerminationCell, TerminationRun> = {
  name: 'p3-termination',
  about: "P3's table 2: right answers with early termination and without",
  page: 'experiments/p3.md',
  takes: '5 minutes',
  published: [
    '',
    '--policy rest,rebase,ets --setting math500/8b --requests 1319 --trees lab/recorded/qwen2.5-coder-1.5b-gsm8k.trees.gz',
    '--policy rest,rebase,ets --setting math500/8b --requests 500 --seeds 4 --trees lab/recorded/qwen2.5-coder-1.5b-math500.trees.gz',
  ],
  preset: { settings: ['math500/8b', 'amc23/14b'], rows: Object.keys(sizes), requests: 250 },
  flags: ['setting', 'policy', 'seed', 'seeds', 'requests', 'trees'],
  leastRequests: 1,
  ownRows: true,
  cells: (plan) =>
    plan.rows.flatMap((row) =>
      sizes[row]!.flatMap((size) =>
        [false, true].flatMap((ends) =>
          placesOf(plan).map((place) => {
            // Read from half of the answers on.
            const turned = `:certain=margin:certainAnswers=${Math.ceil(size / 2)}:speculate=${speculate}`;
            const spot = { ...place, row: ends ? row + turned : row };
            const spec = { ...specOf(plan, spot, { kind: 'one-by-one' }), rollouts: size };
            return { ...place, row, size, ends, spec };
          }),
        ),
      ),
    ),
  measure: async ({ spec }, trials) => {
    const { served } = await trials.run(spec);
    return {
      right: served.map(({ correct }) => correct),
      tokens: served.map(({ tokens }) => tokens),
      certain: served.map(({ exit }) => exit === 'certain'),
    };
  },
  report: (found, { settings, seeds, requests, trees }) => {
    const lines = [...Map.groupBy(found, ({ cell }) => `${cell.row} ${cell.size}`).values()].map(lineOf);
    const from = trees === undefined ? settings.join(', ') : `recorded trees ${trees}`;
    const head = `Simulated machine: ${from}; seeds ${seeds.join(', ')}; ${requests} questions a run, one at a time; speculate ${speculate}; read from half of the answers on.`;
    return { head, body: [terminationTable(lines)], data: { lines } };
  },
};

interface TerminationLine {
  readonly row: RowName;
  readonly size: number;
  /** In percent. */
  readonly without: number;
  readonly accuracy: number;
  readonly certain: number;
  readonly points: Estimate;
  /** Generated, guesses included, over those without. */
  readonly tokens: number;
}

function lineOf(own: readonly MeasuredCell<TerminationCell, TerminationRun>[]): TerminationLine {
  const all = <Value>(ends: boolean, read: (run: TerminationRun) => readonly Value[]) =>
    own.flatMap(({ cell, result }) => (cell.ends === ends ? read(result) : []));
  const right = (ends: boolean) => all(ends, (run) => run.right).map((each) => 100 * Number(each));
  const [before, after] = [right(false), right(true)];
  const { row, size } = own[0]!.cell;
  return {
    row,
    size,
    without: mean(before),
    accuracy: mean(after),
    certain: 100 * mean(all(true, (run) => run.certain).map(Number)),
    points: estimate([after.map((each, at) => each - before[at]!)]),
    tokens: mean(all(true, (run) => run.tokens)) / mean(all(false, (run) => run.tokens)),
  };
}

function terminationTable(lines: readonly TerminationLine[]): LabTable {
  return tableOf<TerminationLine>(
    [
      { heading: 'program', left: true, of: ({ row }) => row },
      { heading: 'size', of: ({ size }) => size },
      { heading: 'right without, %', of: ({ without }) => without.toFixed(1) },
      { heading: 'with, %', of: ({ accuracy }) => accuracy.toFixed(1) },
      { heading: 'points', of: ({ points }) => withHalf(points, 1) },
      { heading: 'ended early, %', of: ({ certain }) => certain.toFixed(0) },
      { heading: 'tokens, times', of: ({ tokens }) => tokens.toFixed(2) },
    ],
    lines,
  );
}
