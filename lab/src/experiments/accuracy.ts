// How often policies answer right, paired question by question with `positive`: with one strand per search, as under saturation, and with as many as
// it can use, one search at a time. With one strand the tree depends only on question and seed, so a search alone answers as it would under load.

import { mean } from '@coppice/core/base';
import type { LabExperiment, MeasuredCell } from '../experiment/experiment.ts';
import { seedsFrom } from '../experiment/plan.ts';
import { type LabTable, tableOf } from '../experiment/table.ts';
import type { RowName, SettingName } from '../service/index.ts';
import { placesOf, type SeededSetting, specOf } from '../sim/comparison.ts';
import type { TrialSpec } from '../sim/trial.ts';
import { type Estimate, estimate } from '../statistics.ts';
import { systemFlags } from './comparison.ts';

interface StrandsCell extends SeededSetting {
  readonly row: RowName;
  /** Of one search. */
  readonly strands: number;
  readonly spec: TrialSpec;
}

/** Question by question. */
interface Answered {
  readonly right: readonly boolean[];
  readonly accepted: readonly boolean[];
  readonly tokens: readonly number[];
}

type AnsweredCell = MeasuredCell<StrandsCell, Answered>;

export interface AccuracyLine {
  readonly row: RowName;
  /** Of one search. */
  readonly strands: number;
  /** In percent. */
  readonly accuracy: number;
  readonly accepted: number;
  /** Generated, of a mean question. */
  readonly tokens: number;
  /** Points above `positive`, setting by setting, and over all. */
  readonly gained: readonly Estimate[];
  readonly gainedInAll: Estimate;
  readonly questions: number;
}

const yardstick: RowName = 'positive';

export const accuracy: LabExperiment<StrandsCell, Answered> = {
  name: 'accuracy',
  about: 'right answers of each policy, paired with positive, with one strand a search and with all',
  page: 'policies-measured.md',
  takes: '3 hours',
  published: ['--seeds 4'],
  preset: { rows: ['safe', 'boost'], seeds: seedsFrom(1, 8), requests: 1000 },
  flags: [...systemFlags, 'policy'],
  cells: (plan) => {
    const others = plan.rows.filter((row) => row !== yardstick);
    const rows = [
      { row: yardstick, strands: 1 },
      ...others.flatMap((row) => [1, plan.budget].map((strands) => ({ row, strands }))),
    ];
    return rows.flatMap(({ row, strands }) =>
      placesOf(plan).map((place) => {
        const spec = specOf({ ...plan, budget: strands }, { ...place, row }, { kind: 'one-by-one' });
        return { ...place, row, strands, spec };
      }),
    );
  },
  measure: async ({ spec }, trials) => {
    const { served } = await trials.run(spec);
    return {
      right: served.map(({ correct }) => correct),
      accepted: served.map(({ exit }) => exit === 'accepted'),
      tokens: served.map(({ tokens }) => tokens),
    };
  },
  report: (found, { settings, seeds, requests }) => {
    const lines = accuracyLines(found);
    const head = `Simulated: seeds ${seeds.join(', ')}; ${requests} questions a setting and seed, one search at a time. Δ: points over positive with one strand, paired, ± the 95 % interval.`;
    return { head, body: [accuracyTable(settings, lines)], data: { lines } };
  },
};

function accuracyLines(found: readonly AnsweredCell[]): AccuracyLine[] {
  const rows = [...Map.groupBy(found, ({ cell: { row, strands } }) => `${row} ${strands}`).values()];
  return rows.map((own) => {
    const gained = pairedPoints(own, rows[0]!);
    const all = <Value>(read: (answered: Answered) => readonly Value[]) => own.flatMap(({ result }) => read(result));
    const { row, strands } = own[0]!.cell;
    return {
      row,
      strands,
      questions: all(({ right }) => right).length,
      accuracy: 100 * mean(all(({ right }) => right).map(Number)),
      accepted: 100 * mean(all(({ accepted }) => accepted).map(Number)),
      tokens: mean(all(({ tokens }) => tokens)),
      gained: gained.map((points) => estimate([points])),
      gainedInAll: estimate(gained),
    };
  });
}

/** Of every setting, question by question: 100 where only this one was right, -100 where only the other was. */
function pairedPoints(own: readonly AnsweredCell[], others: readonly AnsweredCell[]): number[][] {
  const points = own.map(({ cell, result }, at) => ({
    setting: cell.setting,
    points: result.right.map((right, question) => {
      return 100 * (Number(right) - Number(others[at]!.result.right[question]));
    }),
  }));
  const settings = Map.groupBy(points, ({ setting }) => setting);
  return Array.from(settings.values(), (some) => some.flatMap((each) => each.points));
}

function accuracyTable(settings: readonly SettingName[], lines: readonly AccuracyLine[]): LabTable {
  return tableOf<AccuracyLine>(
    [
      { heading: '', left: true, of: ({ row }) => row },
      { heading: 'strands', of: ({ strands }) => strands },
      { heading: 'accuracy %', of: (line) => line.accuracy.toFixed(1) },
      { heading: 'accepted %', of: ({ accepted }) => accepted.toFixed(1) },
      { heading: 'tokens', of: ({ tokens }) => tokens.toFixed(0) },
      ...settings.map((name, at) => ({
        heading: `Δ ${name}`,
        of: ({ gained }: AccuracyLine) => pointsText(gained[at]!),
      })),
      { heading: 'Δ mean', of: ({ gainedInAll }) => pointsText(gainedInAll) },
    ],
    lines,
  );
}

function pointsText({ value, half = 0 }: Estimate): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(2)} ± ${half.toFixed(2)}`;
}
