// `npm run lab -- worth [FILE …]`: rules that stop a vote, replayed over recorded samples and compared at equal cost.

import { basename } from 'node:path';
import { Random, raise } from '@coppice/core/base';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, readArguments, whole } from '../flags.ts';
import { recordedSamples } from '../real/sample-files.ts';
import { allArms, replayArms } from '../real/worth-replay.ts';
import { worthLines, worthRows } from '../real/worth-table.ts';

const recorded = ['gsm8k', 'math500'].map((set) => `lab/recorded/qwen2.5-coder-1.5b-${set}.trees.gz`);

const text = 'string';
const flags = {
  'judge-cost': {
    type: text,
    takes: 'LIST',
    default: '1,0.3',
    about: 'of a token that the judge reads, of a generated one',
  },
  shares: {
    type: text,
    takes: 'LIST',
    default: '0.2,0.3,0.4,0.5,0.8,1.1,1.6',
    about: 'of the tokens of all samples unjudged',
  },
  orders: { type: text, takes: 'N', default: '20', about: 'random orders of each question’s samples' },
  seed: { type: text, takes: 'N', default: '1', about: 'of orders and intervals' },
  json: { type: 'boolean', default: false, about: 'prints one object a set and cost' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'worth [FILE …] [--judge-cost LIST] [--json]',
  about:
    'Replays rules that stop a vote over recorded trees and prints right answers at equal cost, the tokens at equal accuracy, and waves.',
  groups: [['the replay', flags]],
  examples: ['worth lab/recorded/qwen2.5-coder-1.5b-gsm8k.trees.gz --judge-cost 0.3'],
};

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: [...args], options: flags, allowPositionals: true });
  const number = (flag: string, given: string, low: number, high: number) =>
    flagOf(flag, given, { low, high, unit: 'number', why: '' });
  const shares = values.shares.split(',').map((each) => number('shares', each, 0.01, 10));
  const costs = values['judge-cost'].split(',').map((each) => number('judge-cost', each, 0, 100));
  const orders = whole('orders', values.orders, 1, 1000, 'orders');
  const seed = whole('seed', values.seed, 0, 1_000_000, 'seed');
  for (const file of positionals.length > 0 ? positionals : recorded) {
    const all = recordedSamples(file);
    const most = Math.max(...all.map(({ length }) => length));
    const questions = all.filter(({ length }) => length === most);
    if (most < 2 || questions.length < 2) return raise('bad-setting', `${file} has too few samples to vote`);
    for (const judgeCost of costs) {
      const replayed = replayArms(questions, allArms(most), judgeCost, orders, (at) => new Random('orders', seed, at));
      const rows = worthRows(questions, replayed, shares, new Random('resamples', seed));
      const head = { set: basename(file).replace(/\.trees(\.gz)?$/, ''), questions: questions.length, samples: most };
      if (values.json) console.log(JSON.stringify({ ...head, judgeCost, orders, seed, shares, rows }));
      else {
        console.log(
          `${head.set}: ${head.questions} questions, ${most} samples each in ${orders} orders; a token that the judge reads costs ${judgeCost}; shares are of the tokens of ${most} unjudged samples`,
        );
        for (const line of worthLines(rows, shares)) console.log(line);
        console.log('');
      }
    }
  }
  return 0;
}
