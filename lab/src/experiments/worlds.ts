// The accuracy that policies lose in worlds with misleading rewards, paired question by question with `positive`: with one strand per search, without a
// clock, and with as many as a search can use, on a tenth of the questions. Questions without a right path count but are not run.

import type { LabExperiment } from '../experiment/experiment.ts';
import { tableOf } from '../experiment/table.ts';
import type { RowName, SettingName } from '../service/index.ts';
import { specOf } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import { erringQuestions } from '../sim/reward-habits.ts';
import { trialDefaults } from '../sim/trial.ts';
import { type ScoringName, scorings, type WorldName, worldlySpec, worldOf, worlds } from '../sim/worlds.ts';

interface WorldCell {
  readonly world: WorldName;
  readonly scoring: ScoringName;
  readonly setting: SettingName;
  readonly seed: number;
  readonly row: RowName;
  /** Of one search. */
  readonly strands: number;
  readonly questions: number;
  readonly rollouts: number;
}

interface WorldCount {
  /** Questions that the policy alone answered right, and those that `positive` alone did. */
  readonly won: number;
  readonly lost: number;
  /** Right answers of `positive`, and tokens of both. */
  readonly right: number;
  readonly tokens: number;
  readonly positiveTokens: number;
}

export interface WorldLine extends Pick<WorldCell, 'world' | 'scoring' | 'row' | 'strands' | 'questions'> {
  /** Of `positive`, in percent. */
  readonly accuracy: number;
  /** Points over `positive`, and the half width of the 95 % interval. */
  readonly points: number;
  readonly half: number;
  /** Times fewer tokens than `positive`. */
  readonly saving: number;
}

export const worldsExperiment: LabExperiment<WorldCell, WorldCount> = {
  name: 'worlds',
  about: 'accuracy over positive where rewards err along paths, mislead, come late or are compressed',
  page: 'experiments/worlds.md',
  takes: '3 hours',
  published: [
    '--scoring product --requests 5000',
    '--policy safe --scoring product --one-strand --seed 21 --seeds 6 --requests 5000',
  ],
  preset: { rows: ['safe'], settings: ['math500/8b'], requests: 30_000 },
  leastRequests: 10,
  flags: ['setting', 'policy', 'seed', 'seeds', 'requests', 'budget', 'rollouts', 'world', 'scoring', 'one-strand'],
  cells: (plan) => {
    const rows = plan.rows.filter((row) => row !== 'positive');
    const inWorlds = worlds.filter(({ name }) => plan.world === undefined || plan.world === name);
    const asScored = scorings.filter(({ name }) => plan.scoring === undefined || plan.scoring === name);
    const places = inWorlds.flatMap(({ name: world, seed: first }) =>
      asScored.flatMap(({ name: scoring }) =>
        plan.settings.flatMap((setting) => plan.seeds.map((seed) => ({ world, scoring, setting, seed: first + seed }))),
      ),
    );
    return places.flatMap((place) =>
      rows.flatMap((row) =>
        (plan.oneStrand ? [1] : [1, plan.budget]).map((strands) => {
          const questions = strands === 1 ? plan.requests : Math.ceil(plan.requests / 10);
          return { ...place, row, strands, questions, rollouts: plan.rollouts };
        }),
      ),
    );
  },
  measure: async (cell, trials) => {
    const { row, strands } = cell;
    const spec = loneSpec(cell);
    const base = await trials.lone({ ...spec, contender: contenderOf('positive') });
    const found =
      strands === 1
        ? await trials.lone({ ...spec, contender: contenderOf(row) })
        : await wideAnswers(cell, spec.questions, (wide) => trials.run(wide));
    const pairs = base.map(({ right }, at) => Number(found[at]!.right) - Number(right));
    const tokensOf = (answers: readonly { tokens: number }[]) => answers.reduce((sum, { tokens }) => sum + tokens, 0);
    return {
      won: pairs.filter((each) => each > 0).length,
      lost: pairs.filter((each) => each < 0).length,
      right: base.filter(({ right }) => right).length,
      tokens: tokensOf(found),
      positiveTokens: tokensOf(base),
    };
  },
  report: (found, { settings, seeds, requests, rollouts }) => {
    const groups = Map.groupBy(found, ({ cell: { world, scoring, row, strands } }) =>
      [world, scoring, row, strands].join(' '),
    );
    const lines = Array.from(groups.values(), lineOf);
    const head = `Simulated: ${settings.join(', ')}; ${requests} questions a world, setting and seed (a tenth of them with more than one strand), ${seeds.length} of each world's seeds; ${rollouts} rollouts of 4 steps. Δ: points over positive with one strand, paired, ± the 95 % interval; at worst: its lower end.`;
    return { head, body: [worldTable(lines)], data: { lines } };
  },
};

function loneSpec({ world, scoring, setting, seed, rollouts, questions: count }: WorldCell) {
  const spec = { ...trialDefaults, setting, seed, rollouts, ...worldlySpec(world, scoring) };
  const model = erringQuestions(spec);
  const questions = Array.from({ length: count }, (_, at) => at);
  return { ...spec, questions: questions.filter((at) => model.difficulty(model.promptOf(at)) < 3) };
}

async function wideAnswers(
  { world, scoring, setting, seed, row, strands, rollouts }: WorldCell,
  questions: readonly number[],
  run: Parameters<LabExperiment['measure']>[1]['run'],
) {
  const system = { ...trialDefaults, requests: questions.length, rollouts, budget: strands, world, scoring };
  const { served } = await run({ ...specOf(system, { setting, seed, row }, { kind: 'one-by-one' }), questions });
  return served.map(({ correct: right, tokens }) => ({ right, tokens }));
}

function lineOf(found: readonly { readonly cell: WorldCell; readonly result: WorldCount }[]): WorldLine {
  const { world, scoring, row, strands } = found[0]!.cell;
  const sum = (read: (count: WorldCount) => number) => found.reduce((all, { result }) => all + read(result), 0);
  const questions = found.reduce((all, { cell }) => all + cell.questions, 0);
  const [won, lost] = [sum((each) => each.won) / questions, sum((each) => each.lost) / questions];
  return {
    world,
    scoring,
    row,
    strands,
    questions,
    accuracy: (100 * sum(({ right }) => right)) / questions,
    points: 100 * (won - lost),
    half: 196 * Math.sqrt((won + lost - (won - lost) ** 2) / questions),
    saving: sum(({ positiveTokens }) => positiveTokens) / sum(({ tokens }) => tokens),
  };
}

function worldTable(lines: readonly WorldLine[]) {
  const signed = (points: number) => `${points > 0 ? '+' : ''}${points.toFixed(2)}`;
  return tableOf<WorldLine>(
    [
      { heading: 'world', left: true, of: ({ world }) => world },
      { heading: 'rewards err', left: true, of: ({ world }) => worldOf(world).about },
      { heading: 'scoring', left: true, of: ({ scoring }) => scoring },
      { heading: 'policy', left: true, of: ({ row }) => row },
      { heading: 'strands', of: ({ strands }) => strands },
      { heading: 'questions', of: ({ questions }) => questions },
      { heading: 'positive %', of: ({ accuracy }) => accuracy.toFixed(1) },
      { heading: 'Δ', of: ({ points, half }) => `${signed(points)} ± ${half.toFixed(2)}` },
      { heading: 'at worst', of: ({ points, half }) => signed(points - half) },
      { heading: 'fewer tokens', of: ({ saving }) => saving.toFixed(2) },
    ],
    lines,
  );
}
