// Tests that speculation keeps every answer: the same questions with `speculate` and without, one search after the other and under load, for
// searches at their natural width and for boosted ones. Strands of a boosted search run in parallel: the order of two steps decides what
// the next rollout knows, so any change of times can change an answer. To count changes by chance alone, the same requests are served
// again a few milliseconds later, without speculation.

import type { LabExperiment, TrialSource } from '../experiment/experiment.ts';
import { type TableColumn, tableOf } from '../experiment/table.ts';
import { outcomeOf, type RowName, type SettingName } from '../service/index.ts';
import { placesOf } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import { type TrialResult, type TrialSpec, trialDefaults } from '../sim/trial.ts';

const speculate = 4;
/** Small, since there are many: eight rollouts, and requests so seldom that strands are idle, but searches meet. */
const small = { ...trialDefaults, budget: 16, rollouts: 8 } as const;
const perSecond = 1;

interface KeptCell {
  readonly row: RowName;
  readonly setting: SettingName;
  readonly seed: number;
  readonly requests: number;
  readonly isAlone: boolean;
}

interface KeptCount {
  readonly searches: number;
  /** Searches whose answer is another with speculation than without. */
  readonly answers: number;
  /** The same of exit, rollouts or correctness. */
  readonly outcomes: number;
  /** Searches whose answer is another where they came some milliseconds later; undefined where nothing can come later. */
  readonly chance?: number;
}

export const keptAnswers: LabExperiment<KeptCell, KeptCount> = {
  name: 'kept-answers',
  about: 'how many searches of 10,000 answer otherwise with speculation than without, and by chance alone',
  page: 'experiments/p3.md',
  takes: '10 minutes',
  published: ['--requests 300'],
  preset: {
    rows: ['positive', 'best-first+positive', 'boost', 'safe'],
    settings: ['math500/8b'],
    requests: 1000,
  },
  flags: ['setting', 'seed', 'seeds', 'requests', 'policy'],
  leastRequests: 10,
  cells: (plan) =>
    plan.rows.flatMap((row) =>
      [true, false].flatMap((isAlone) =>
        placesOf(plan).map((place) => ({ ...place, row, isAlone, requests: plan.requests })),
      ),
    ),
  measure: keptOf,
  report: (found, { settings, seeds, requests }) => {
    const lines = [...Map.groupBy(found, ({ cell }) => `${cell.row} ${cell.isAlone}`).values()].map((own) => {
      const total = (read: (count: KeptCount) => number) => own.reduce((sum, { result }) => sum + read(result), 0);
      const { row, isAlone } = own[0]!.cell;
      return {
        row,
        isAlone,
        searches: total(({ searches }) => searches),
        answers: total(({ answers }) => answers),
        outcomes: total(({ outcomes }) => outcomes),
        ...(isAlone ? {} : { chance: total(({ chance = 0 }) => chance) }),
      };
    });
    return {
      head: `Simulated: ${settings.join(', ')}; seeds ${seeds.join(', ')}; ${requests} questions a cell, M = ${small.budget}, ${small.rollouts} rollouts, speculate ${speculate}. Under load ${perSecond} requests a second.`,
      body: [tableOf(columns, lines)],
      data: { lines },
    };
  },
};

async function keptOf({ row, setting, seed, requests, isAlone }: KeptCell, trials: TrialSource): Promise<KeptCount> {
  const common = { ...small, setting, seed, requests };
  const run = (name: RowName, shaken?: number) => {
    const rate = { kind: 'rate', perSecond, ...(shaken === undefined ? {} : { shaken }) } as const;
    const arrivals: TrialSpec['arrivals'] = isAlone ? { kind: 'one-by-one' } : rate;
    return trials.run({ ...common, contender: contenderOf(name), arrivals });
  };
  const [without, ahead] = await Promise.all([run(row), run(`${row}:speculate=${speculate}`)]);
  const later = isAlone ? undefined : await run(row, 1);
  return {
    searches: requests,
    answers: differing(without, ahead),
    outcomes: without.served.filter((each, at) => outcomeOf(each) !== outcomeOf(ahead.served[at]!)).length,
    ...(later && { chance: differing(without, later) }),
  };
}

function differing(one: TrialResult, other: TrialResult): number {
  return one.answers.filter((answer, at) => (answer ?? null) !== (other.answers[at] ?? null)).length;
}

const columns: readonly TableColumn<KeptCount & Pick<KeptCell, 'row' | 'isAlone'>>[] = [
  { heading: 'row', left: true, of: ({ row }) => row },
  { heading: 'searches', left: true, of: ({ isAlone }) => (isAlone ? 'one at a time' : 'under load') },
  { heading: 'number', of: ({ searches }) => searches },
  { heading: 'another answer', of: ({ answers }) => answers },
  { heading: 'another exit, number of rollouts or correctness', of: ({ outcomes }) => outcomes },
  { heading: 'another answer by chance', of: ({ chance }) => chance ?? '' },
];
