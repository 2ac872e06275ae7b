// Where a policy's tokens go, compared with a scheduler that knows the end (../clairvoyant.ts): for each question, the tokens before its final
// answer led for good (if that is wrong, before its first completed rollout), and those after.
// Only the first are needed; no policy can tell them apart.

import { mean } from '@coppice/core/base';
import { clairvoyantTokens } from '../clairvoyant.ts';
import type { LabExperiment } from '../experiment/experiment.ts';
import { type LabTable, type TableColumn, tableOf } from '../experiment/table.ts';
import type { RowName } from '../service/index.ts';
import { placesOf, type SeededSetting, specOf } from '../sim/comparison.ts';
import type { TrialSpec } from '../sim/trial.ts';
import { systemFlags } from './comparison.ts';

interface WatchedCell extends SeededSetting {
  readonly row: RowName;
  readonly spec: TrialSpec;
}

/** Tokens of both models; what was cut at the exit is in no tree, and not counted. */
interface WatchedQuestion {
  readonly right: boolean;
  readonly needed: number;
  readonly all: number;
}

/** Tokens of both models for a mean question. */
export interface TokenWaste {
  readonly row: RowName;
  readonly rightUntil: number;
  readonly rightAfter: number;
  readonly wrongFirst: number;
  readonly wrongAfter: number;
}

export const waste: LabExperiment<WatchedCell, readonly WatchedQuestion[]> = {
  name: 'waste',
  about: 'where the tokens of each policy go, beside one who knows the end',
  page: 'policies-measured.md',
  takes: '10 minutes',
  published: ['--policy positive,safe --requests 256'],
  preset: { rows: ['positive', 'boost', 'safe'], requests: 400 },
  flags: [...systemFlags, 'policy'],
  cells: (plan) =>
    plan.rows.flatMap((row) =>
      placesOf(plan).map((place) => {
        return { ...place, row, spec: { ...specOf(plan, { ...place, row }, { kind: 'backlog' }), watched: true } };
      }),
    ),
  measure: async ({ spec }, trials) => {
    const { standings = [] } = await trials.run(spec);
    return standings
      .filter((seen) => seen.length > 0)
      .map((seen) => ({ right: seen.at(-1)!.right, needed: clairvoyantTokens(seen)!, all: seen.at(-1)!.tokens }));
  },
  report: (found, { settings, seeds, requests }) => {
    const rows = Map.groupBy(found, ({ cell }) => cell.row);
    const wastes = Array.from(rows, ([row, own]) =>
      wasteOf(
        row,
        own.flatMap(({ result }) => result),
      ),
    );
    const head = `Simulated: ${settings.join(', ')}; seeds ${seeds.join(', ')}; ${requests} questions a run, all at once. Tokens of both models.`;
    return { head, body: [wasteTable(wastes)], data: { wastes } };
  },
};

function wasteOf(row: RowName, seen: readonly WatchedQuestion[]): TokenWaste {
  const meanOf = (isRight: boolean, read: (question: WatchedQuestion) => number) =>
    mean(seen.map((question) => (question.right === isRight ? read(question) : 0)));
  return {
    row,
    rightUntil: meanOf(true, ({ needed }) => needed),
    rightAfter: meanOf(true, ({ needed, all }) => all - needed),
    wrongFirst: meanOf(false, ({ needed }) => needed),
    wrongAfter: meanOf(false, ({ needed, all }) => all - needed),
  };
}

function allOf({ rightUntil, rightAfter, wrongFirst, wrongAfter }: TokenWaste): number {
  return rightUntil + rightAfter + wrongFirst + wrongAfter;
}

const columns: readonly TableColumn<TokenWaste>[] = [
  { heading: '', left: true, of: ({ row }) => row },
  { heading: 'tokens a question', of: (each) => allOf(each).toFixed(0) },
  { heading: 'right: until the answer leads for good', of: ({ rightUntil }) => rightUntil.toFixed(0) },
  { heading: 'after', of: ({ rightAfter }) => rightAfter.toFixed(0) },
  { heading: 'wrong: the first rollout', of: ({ wrongFirst }) => wrongFirst.toFixed(0) },
  { heading: 'after', of: ({ wrongAfter }) => wrongAfter.toFixed(0) },
  { heading: 'needed', of: (each) => `${((100 * (each.rightUntil + each.wrongFirst)) / allOf(each)).toFixed(0)} %` },
];

export function wasteTable(wastes: readonly TokenWaste[]): LabTable {
  return tableOf(columns, wastes);
}
