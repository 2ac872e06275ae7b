// `npm run lab -- arithmetic SOLUTIONS …`: what false equations say of recorded samples, and what a vote gains by counting such samples less.

import { raise } from '@coppice/core/base';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, readArguments, whole } from '../flags.ts';
import { alarmRow, checkedSamples, checkedVotes } from '../real/false-equations.ts';
import { percentage } from '../real/percentage.ts';
import { points } from '../real/worth-table.ts';

const text = 'string';
const flags = {
  scores: {
    type: text,
    takes: 'LIST',
    default: '',
    about: 'files with answers and log odds of a judge; all count alike without',
  },
  weights: { type: text, takes: 'LIST', default: '0.1', about: 'votes of a sample with a false equation' },
  samples: { type: text, takes: 'LIST', default: '4,8,16', about: 'votes of so many; sets with fewer leave them out' },
  orders: { type: text, takes: 'N', default: '20', about: 'random orders of each question’s samples' },
  seed: { type: text, takes: 'N', default: '1', about: 'of orders' },
  json: { type: 'boolean', default: false, about: 'prints one object a set' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'arithmetic SOLUTIONS … [--scores LIST] [--weights LIST] [--json]',
  about:
    'Reads equations in recorded samples (training/real, with their texts) and prints how often right and wrong ones have a false one, and votes that count such samples less.',
  groups: [['the replay', flags]],
  examples: ['arithmetic solutions-a-0.jsonl --scores scores.jsonl --weights 0.1,0.3'],
};

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: [...args], options: flags, allowPositionals: true });
  if (positionals.length === 0) return raise('bad-setting', 'arithmetic needs files of solutions');
  const listOf = (given: string) => given.split(',').filter((each) => each !== '');
  const weights = listOf(values.weights).map((each) =>
    flagOf('weights', each, { low: 0.001, high: 1, unit: 'votes', why: '' }),
  );
  const counts = listOf(values.samples).map((each) => whole('samples', each, 1, 1000, 'samples'));
  const orders = whole('orders', values.orders, 1, 1000, 'orders');
  const seed = whole('seed', values.seed, 0, 1_000_000, 'seed');
  const scores = listOf(values.scores);
  for (const [set, questions] of checkedSamples(positionals, scores)) {
    const alarms = alarmRow(questions);
    const most = Math.max(...questions.map(({ length }) => length));
    const votes = weights.map((weight) => {
      const all = checkedVotes(questions, { counts: counts.filter((count) => count <= most), weight, orders, seed });
      return { weight, votes: all.filter(({ rule }) => rule === 'majority' || scores.length > 0) };
    });
    if (values.json) {
      console.log(JSON.stringify({ set, questions: questions.length, orders, seed, ...alarms, votes }));
      continue;
    }
    console.log(
      `${set}: ${questions.length} questions, ${alarms.samples} samples, ${percentage(alarms.right)} % right`,
    );
    console.log(
      `  with a false equation: ${percentage(alarms.ofRight)} % of right, ${percentage(alarms.ofWrong)} % of wrong ones, the first after ${percentage(alarms.at)} % of the text`,
    );
    console.log(
      `  right: ${percentage(alarms.alarmed)} % with one, ${percentage(alarms.others)} % of the others of the same questions`,
    );
    for (const { weight, votes: own } of votes) {
      for (const { count, rule, plain, gain } of own) {
        console.log(
          `  ${rule} of ${count}: ${percentage(plain)} %, ${weight} votes for each with one: ${points(gain)}`,
        );
      }
    }
  }
  return 0;
}
