// `npm run lab -- arithmetic SOLUTIONS …`: counts false equations in recorded samples, and tries votes that weigh such samples less.

import { raise } from '@coppice/core/base';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, readArguments, whole } from '../flags.ts';
import { alarmsIn, checkedSamples, checkedVotes } from '../real/false-equations.ts';
import { percentage } from '../real/percentage.ts';
import { points } from '../real/worth-table.ts';

const flags = {
  scores: { type: 'string', takes: 'LIST', default: '', about: 'files with answers and log odds of a judge' },
  weight: { type: 'string', takes: 'W', default: '0.1', about: 'votes of a sample with a false equation' },
  samples: { type: 'string', takes: 'LIST', default: '4,8,16', about: 'votes of so many, where there are' },
  orders: { type: 'string', takes: 'N', default: '20', about: 'random orders of each question’s samples' },
  seed: { type: 'string', takes: 'N', default: '1', about: 'of orders' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'arithmetic SOLUTIONS … [--scores LIST] [--weight W]',
  about:
    'Reads the equations of samples that training/real drew; prints how many of right and wrong ones have a false one.',
  groups: [['the replay', flags]],
  examples: ['arithmetic solutions-0.jsonl --scores scores.jsonl --weight 0.3'],
};

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: [...args], options: flags, allowPositionals: true });
  if (positionals.length === 0) return raise('bad-setting', 'arithmetic needs files of solutions');
  const weight = flagOf('weight', values.weight, { low: 0.001, high: 1, unit: 'votes', why: '' });
  const sizes = values.samples.split(',').map((each) => whole('samples', each, 1, 1000, 'samples'));
  const orders = whole('orders', values.orders, 1, 1000, 'orders');
  const seed = whole('seed', values.seed, 0, 1_000_000, 'seed');
  for (const [set, all] of checkedSamples(positionals, values.scores.split(',').filter(Boolean))) {
    const most = Math.max(...all.map(({ length }) => length));
    const questions = all.filter(({ length }) => length === most);
    const { ofRight, ofWrong, medianAt, rightWith, rightWithout } = alarmsIn(all);
    console.log(`${set}: ${questions.length} questions, ${most} samples each, in ${orders} orders, seed ${seed}`);
    console.log(`  with a false equation: ${share(ofRight)} of right, ${share(ofWrong)} of wrong samples`);
    console.log(`  the first after ${share(medianAt)} of the text, in the median`);
    console.log(`  right: ${share(rightWith)}, of the same questions' others ${share(rightWithout)}`);
    const counts = sizes.filter((count) => count <= most);
    for (const { rule, count, plain, gain } of checkedVotes(questions, counts, weight, orders, seed))
      console.log(`  ${rule} of ${count}: ${percentage(plain)} %; such a sample counts ${weight}: ${points(gain)}`);
  }
  return 0;
}

function share(value: number | undefined): string {
  return value === undefined ? '–' : `${percentage(value)} %`;
}
