// `npm run lab -- branching [FILE]`: the worth of a draw below a prefix against a fresh one, from recorded continuations.

import { raise } from '@coppice/core/base';
import { type CommandFlags, type CommandHelp, flagOf, helpFlag, readArguments, whole } from '../flags.ts';
import {
  type BranchingFigures,
  branchingOf,
  continuations,
  continuedAt,
  continuedIn,
  places,
} from '../real/branching.ts';

const recorded = 'lab/recorded/qwen2.5-coder-1.5b-continuations.jsonl.gz';

const flags = {
  'judge-cost': {
    type: 'string',
    takes: 'C',
    default: '0',
    about: 'of a token that the judge reads, of a generated one: votes pay for the three prefixes',
  },
  seed: { type: 'string', takes: 'N', default: '1', about: 'of orders and intervals' },
  json: { type: 'boolean', default: false, about: 'prints one object a set and place' },
  ...helpFlag,
} as const satisfies CommandFlags;

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'branching [FILE] [--judge-cost C] [--json]',
  about:
    'Reads samples that were gone on with below prefixes: correlation of rightness below one prefix, right answers below chosen ones, and votes that branch against votes of fresh samples at equal tokens.',
  groups: [['the reading', flags]],
  examples: ['branching --judge-cost 0.3'],
};

/** In the order of the table; a figure of each and how it is written. */
const columns: readonly (readonly [
  name: string,
  figure: (of: BranchingFigures) => number,
  factor: number,
  digits: number,
])[] = [
  ['share', ({ share }) => share, 1, 2],
  ['ρ', ({ rho }) => rho, 1, 2],
  ['fresh', ({ fresh }) => fresh, 100, 1],
  ['below any', ({ below }) => below, 100, 1],
  ['best scored of 3', ({ bestScored }) => bestScored, 100, 1],
  ['best drawn of 3', ({ bestDrawn }) => bestDrawn, 100, 1],
  ['AUC', ({ auc }) => auc, 1, 2],
  ['worth of a draw', ({ worth }) => worth, 1, 2],
  ['by the vote', ({ byVote }) => byVote, 1, 2],
  ...continuations.map(
    (count, at) => [`vote +${2 * count}`, ({ gains }: BranchingFigures) => gains[at]!, 100, 1] as const,
  ),
];

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments({ args: [...args], options: flags, allowPositionals: true });
  const seed = whole('seed', values.seed, 0, 1_000_000, 'seed');
  const cost = flagOf('judge-cost', values['judge-cost'], { low: 0, high: 100, unit: 'number', why: '' });
  const file = positionals[0] ?? recorded;
  const all = continuedIn(file);
  const sets = Map.groupBy(all, ({ set }) => set);
  if (!values.json) console.log(`| ${['set', 'cut at', 'questions', ...columns.map(([name]) => name)].join(' | ')} |`);
  for (const [name, own] of [...sets, ['all', all] as const]) {
    for (const place of Object.keys(places) as (keyof typeof places)[]) {
      const questions = continuedAt(own, place);
      if (questions.length < 2) return raise('bad-setting', `${file} has too few prefixes of ${name} at a ${place}`);
      const { found, interval } = branchingOf(questions, cost, seed);
      const cells = columns.map(([column, figure, factor, digits]) => {
        const [value, ...bounds] = [figure(found), ...interval(figure)].map((each) => factor * each);
        return { column, value: value!, low: bounds[0]!, high: bounds[1]!, digits };
      });
      const row = { set: name, place, questions: questions.length };
      if (values.json) console.log(JSON.stringify({ ...row, cost, seed, figures: cells }));
      else console.log(`| ${[...Object.values(row), ...cells.map(cellText)].join(' | ')} |`);
    }
  }
  return 0;
}

function cellText({ value, low, high, digits }: Record<'value' | 'low' | 'high' | 'digits', number>): string {
  return `${value.toFixed(digits)} [${low.toFixed(digits)}, ${high.toFixed(digits)}]`;
}
