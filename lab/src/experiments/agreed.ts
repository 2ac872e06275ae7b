// What best-first search loses and saves by stopping when its answers agree (the exit `agreed`). Every search runs to its end and notes where the
// exit would have ended it, so that both answers come from the same tree. One strand, without a clock; simulated, or recorded (--trees).

import { type RowName, readTrees, type SettingName } from '@coppice/sim/service';
import type { LabExperiment } from '../experiment/experiment.ts';
import { tableOf } from '../experiment/table.ts';
import { placesOf } from '../sim/comparison.ts';
import { contenderOf } from '../sim/contenders.ts';
import { trialDefaults } from '../sim/trial.ts';
import { type ScoringName, type WorldName, worldlySpec } from '../sim/worlds.ts';
import { upperShare } from '../statistics.ts';

interface AgreedCell {
  readonly row: RowName;
  readonly scoring: ScoringName;
  readonly setting: SettingName;
  readonly seed: number;
  readonly questions: number;
  readonly rollouts: number;
  readonly world?: WorldName;
  readonly trees?: string;
}

interface AgreedCount {
  readonly right: number;
  readonly tokens: number;
  /** Searches that the exit ends, and what all take with it. */
  readonly ended: number;
  readonly tokensWith: number;
  /** Of those: with another answer; right with the exit alone, and without it alone. */
  readonly others: number;
  readonly won: number;
  readonly lost: number;
}

interface AgreedLine extends AgreedCount, Pick<AgreedCell, 'row' | 'scoring' | 'questions'> {}

/** As real rewards become scores, by vote and by the best path, and as the simulated ones do. */
const ownScorings: readonly ScoringName[] = ['weighted', 'last', 'product'];

export const agreedExperiment: LabExperiment<AgreedCell, AgreedCount> = {
  name: 'agreed',
  about: 'best-first searches that stop when their answers agree: answers lost, tokens saved',
  page: 'policies-measured.md',
  takes: '10 minutes',
  published: [
    '--seed 21 --seeds 10 --requests 1319 --trees lab/recorded/qwen2.5-coder-1.5b-gsm8k.trees.gz',
    '--seed 21 --seeds 10 --requests 1319 --trees lab/recorded/qwen2.5-coder-1.5b-math500.trees.gz',
    '--seed 21 --requests 3000',
  ],
  preset: { rows: ['best-first+safe'], settings: ['math500/8b'], requests: 1000 },
  leastRequests: 1,
  flags: ['setting', 'policy', 'seed', 'seeds', 'requests', 'rollouts', 'trees', 'world', 'scoring'],
  cells: (plan) => {
    const { rows, requests, rollouts, trees, world, scoring: asked } = plan;
    const questions = trees === undefined ? requests : Math.min(requests, readTrees(trees).trees.length);
    const from = { ...(trees === undefined ? {} : { trees }), ...(world === undefined ? {} : { world }) };
    return rows.flatMap((row) =>
      (asked === undefined ? ownScorings : [asked]).flatMap((scoring) =>
        placesOf(plan).map((place) => ({ row, scoring, ...place, questions, rollouts, ...from })),
      ),
    );
  },
  measure: async ({ row, scoring, questions: count, world, ...place }, trials) => {
    const questions = Array.from({ length: count }, (_, at) => at);
    const spec = { ...trialDefaults, ...place, ...worldlySpec(world, scoring), questions };
    const answers = await trials.lone({ ...spec, contender: contenderOf(row), passing: 'agreed' });
    const sum = (read: (answer: (typeof answers)[number]) => number | boolean) =>
      answers.reduce((total, each) => total + Number(read(each)), 0);
    return {
      right: sum(({ right }) => right),
      tokens: sum(({ tokens }) => tokens),
      ended: sum(({ early }) => early !== undefined),
      tokensWith: sum(({ tokens, early }) => early?.tokens ?? tokens),
      others: sum(({ early }) => early?.other === true),
      won: sum(({ right, early }) => early?.right === true && !right),
      lost: sum(({ right, early }) => early?.right === false && right),
    };
  },
  report: (found, { settings, seeds, rollouts, trees, world = 'plain' }) => {
    const groups = Map.groupBy(found, ({ cell: { row, scoring } }) => `${row} ${scoring}`);
    const lines = Array.from(groups.values(), (own): AgreedLine => {
      const total = (read: (each: (typeof own)[number]) => number) => own.reduce((sum, each) => sum + read(each), 0);
      const { row, scoring } = own[0]!.cell;
      return {
        row,
        scoring,
        questions: total(({ cell }) => cell.questions),
        right: total(({ result }) => result.right),
        tokens: total(({ result }) => result.tokens),
        ended: total(({ result }) => result.ended),
        tokensWith: total(({ result }) => result.tokensWith),
        others: total(({ result }) => result.others),
        won: total(({ result }) => result.won),
        lost: total(({ result }) => result.lost),
      };
    });
    const from = trees === undefined ? `Simulated: ${settings.join(', ')}, world ${world}` : `Recorded trees ${trees}`;
    const head = `${from}; seeds ${seeds.join(', ')}; best-first, ${rollouts} rollouts, one strand. Lost at most: upper end of the one-sided 95 % interval of the questions that are lost, whatever is won.`;
    return { head, body: [agreedTable(lines)], data: { lines } };
  },
};

function agreedTable(lines: readonly AgreedLine[]) {
  const percent = (share: number) => (100 * share).toFixed(1);
  return tableOf<AgreedLine>(
    [
      { heading: 'row', left: true, of: ({ row }) => row },
      { heading: 'scoring', left: true, of: ({ scoring }) => scoring },
      { heading: 'questions', of: ({ questions }) => questions },
      { heading: 'right, %', of: ({ right, questions }) => percent(right / questions) },
      { heading: 'tokens', of: ({ tokens, questions }) => (tokens / questions).toFixed(0) },
      { heading: 'ended, %', of: ({ ended, questions }) => percent(ended / questions) },
      { heading: 'tokens saved, %', of: ({ tokens, tokensWith }) => percent(1 - tokensWith / tokens) },
      { heading: 'other answers', of: ({ others }) => others },
      { heading: 'won', of: ({ won }) => won },
      { heading: 'lost', of: ({ lost }) => lost },
      { heading: 'lost at most, points', of: ({ lost, questions }) => (100 * upperShare(lost, questions)).toFixed(2) },
    ],
    lines,
  );
}
