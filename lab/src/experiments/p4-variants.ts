// P4's figures 11 and 14: the gain of its three parts for beam search and its variants (one pair of models, AIME), and right answers with and without
// them, by vote and among the best N paths.

import { mean } from '@coppice/core/base';
import { goodput } from '@coppice/core/log';
import type { LabExperiment, MeasuredCell } from '../experiment/experiment.ts';
import { seedsFrom } from '../experiment/plan.ts';
import { type LabTable, plainTable } from '../experiment/table.ts';
import type { FinishedPath } from '../sim/finished-paths.ts';
import { type EdgeTrial, type EdgeVariant, edgeTasks, edgeTrial, variants } from '../speculation/edge-cells.ts';

interface VariantRun {
  readonly goodput: number;
  /** Of every question. */
  readonly tokens: readonly number[];
  readonly right: readonly boolean[];
  readonly outcomes: readonly string[];
  /** Of every question, by `passes`: whether one of the best N paths is right. */
  readonly passed: readonly (readonly boolean[])[];
}

type VariantCell = EdgeTrial & { readonly figure: 11 | 14 };
type VariantRuns = readonly MeasuredCell<VariantCell, VariantRun>[];

const stages = ['none', "P4's baseline", 'P+M+S'] as const;
const names = Object.keys(variants) as readonly EdgeVariant[];
const passes = [1, 2, 4, 8, 16, 32, 64] as const;
/** Of figure 14: paths grown at a time, and questions. */
const judged = { beams: 64, requests: 60 } as const;

export const p4Variants: LabExperiment<VariantCell, VariantRun> = {
  name: 'p4-variants',
  about: "P4's figures 11 (goodput of the variants of beam search) and 14 (right answers)",
  page: 'experiments/p4.md',
  takes: '10 minutes',
  published: [''],
  // Seeds that nothing was chosen on.
  preset: { seeds: seedsFrom(101, 2), beams: [8, 16, 32, 64] },
  flags: ['seed', 'seeds', 'beams'],
  cells: ({ seeds, beams }) => [
    ...seeds.flatMap((seed) =>
      names.flatMap((variant) =>
        beams.flatMap((count) =>
          stages.map((stage): VariantCell => {
            const cell = { seed, task: 'aime', pair: '1.5b+1.5b', beams: count, stage, variant } as const;
            return { ...edgeTrial(cell, true), figure: 11 };
          }),
        ),
      ),
    ),
    ...edgeTasks.flatMap((task) =>
      (['none', 'P+M+S'] as const).map((stage): VariantCell => {
        const cell = { seed: seeds[0]!, task, pair: '1.5b+1.5b', beams: judged.beams, stage } as const;
        const trial = edgeTrial(cell, true, judged.requests);
        return { ...trial, figure: 14, spec: { ...trial.spec, choose: 'vote', pathed: true } };
      }),
    ),
  ],
  measure: async ({ spec }, trials) => {
    const { served, growth, paths = [] } = await trials.run(spec);
    return {
      goodput: goodput(growth)!,
      tokens: served.map(({ tokens }) => tokens),
      right: served.map(({ correct }) => correct),
      outcomes: served.map(({ exit, rollouts, correct }) => `${exit} ${rollouts} ${correct}`),
      passed: paths.map(passedAt),
    };
  },
  report: (found, { seeds, beams }) => {
    const head = `Simulated: one RTX 4090 (roofline), 1.5b+1.5b, one question at a time, seeds ${seeds.join(', ')}.`;
    const body = [
      "Figure 11, goodput on AIME of all three parts over none, and over P4's baseline:",
      goodputTable(found, beams),
      `Figure 14, ${judged.requests} questions, ${judged.beams} beams, seed ${seeds[0]}, in %:`,
      accuracyTable(found),
    ];
    return {
      head,
      body,
      data: { found: found.map(({ cell: { spec: _, ...cell }, result }) => ({ ...cell, result })) },
    };
  },
};

/** For each N of `passes`, tells whether one of the N best paths by score is right; a path that was drawn twice counts twice. */
export function passedAt(paths: readonly FinishedPath[]): boolean[] {
  const best = [...paths]
    .sort((a, b) => b.score - a.score)
    .flatMap(({ right, count }) => new Array<boolean>(count).fill(right));
  return passes.map((most) => best.slice(0, most).includes(true));
}

function goodputTable(found: VariantRuns, beams: readonly number[]): LabTable {
  const rows = names.flatMap((name) => {
    const own = (stage: string, count?: number) =>
      found.filter(
        ({ cell }) =>
          cell.figure === 11 && cell.variant === name && cell.stage === stage && (count ?? cell.beams) === cell.beams,
      );
    const gain = (base: string, count?: number) => {
      const [all, bases] = [own('P+M+S', count), own(base, count)];
      return Math.exp(mean(all.map(({ result }, at) => Math.log(result.goodput / bases[at]!.result.goodput))));
    };
    const tokens = (stage: string) => mean(own(stage).flatMap(({ result }) => result.tokens));
    const outcomes = (stage: string) => own(stage).flatMap(({ result }) => result.outcomes);
    const different = outcomes('P+M+S').filter((each, at) => each !== outcomes('none')[at]).length;
    return ['none', "P4's baseline"].map((base) => [
      name,
      base,
      ...beams.map((count) => gain(base, count).toFixed(2)),
      gain(base).toFixed(2),
      (100 * (1 - tokens(base) / tokens('P+M+S'))).toFixed(0),
      base === 'none' ? String(different) : '',
    ]);
  });
  return plainTable(
    ['search', 'over', ...beams.map((count) => `${count} beams`), 'geometric', 'waste, %', 'different'],
    rows,
  );
}

function accuracyTable(found: VariantRuns): LabTable {
  const rows = found
    .filter(({ cell }) => cell.figure === 14)
    .map(({ cell, result }) => [
      cell.task,
      cell.stage,
      (100 * mean(result.right.map(Number))).toFixed(1),
      ...passes.map((_, at) => (100 * mean(result.passed.map((each) => Number(each[at])))).toFixed(1)),
    ]);
  return plainTable(['task', 'parts', 'top-1 (vote)', ...passes.map((most) => `pass@${most}`)], rows);
}
