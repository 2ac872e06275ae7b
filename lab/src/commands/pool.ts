// `npm run lab -- pool CONTENDER BASE FILE …`: how often one policy is right where another is not, over all loads of several files of
// `arrivals`. A question that was asked in several cells counts once, by the mean of its pairs: cells of one set are not independent.

import { type Help, mean, meanDifference, raise } from 'coppice/internals';
import type { ArrivalLine } from '../real/arrival-table.ts';
import { headOf, keptLines } from '../real/kept-lines.ts';
import { percentage } from '../real/percentage.ts';

export const help: Help = {
  starts: 'npm run lab --',
  usage: 'pool CONTENDER BASE FILE …',
  about:
    'Pools files of arrivals: the points that one policy gains over another, paired by question, by set and over all.',
  groups: [],
  examples: ["pool 'mcts safe' 'mcts positive' p0.jsonl p0double.jsonl"],
};

interface Pair {
  readonly set: string;
  readonly question: string;
  readonly gain: number;
}

export async function run(args: readonly string[]): Promise<number> {
  const [contender, base, ...files] = args;
  if (contender === undefined || base === undefined || files.length === 0)
    return raise('bad-setting', 'which of what, in which files? npm run lab -- pool CONTENDER BASE FILE …');
  const pairs = files.flatMap((file) => pairsIn(file, contender, base));
  if (pairs.length === 0) raise('bad-setting', `no load of these files has both '${contender}' and '${base}'`);
  const sets = [...new Set(pairs.map(({ set }) => set))];
  for (const set of sets)
    console.log(
      lineOf(
        set,
        pairs.filter((pair) => pair.set === set),
      ),
    );
  if (sets.length > 1) console.log(lineOf('all', pairs));
  return 0;
}

function pairsIn(file: string, contender: string, base: string): Pair[] {
  const { questions = '' } = JSON.parse(headOf(file)) as { questions?: string };
  const lines = keptLines<ArrivalLine>(file);
  const before = new Map(lines.filter((line) => line.contender === base).map((line) => [cellOf(line), line]));
  return lines.flatMap((line) => {
    const first = line.contender === contender ? before.get(cellOf(line)) : undefined;
    if (first === undefined) return [];
    const set = questions.split('/').at(-1)!;
    return [{ set, question: `${set} ${line.question}`, gain: Number(line.correct) - Number(first.correct) }];
  });
}

function cellOf({ load, question }: ArrivalLine): string {
  return `${load} ${question}`;
}

function lineOf(name: string, pairs: readonly Pair[]): string {
  const byQuestion = Map.groupBy(pairs, ({ question }) => question);
  if (byQuestion.size < 2) return `${name}: too few questions`;
  const { value, low, high } = meanDifference([...byQuestion.values()].map((own) => mean(own.map(({ gain }) => gain))));
  const points = `${percentage(value)} [${percentage(low)}, ${percentage(high)}] points`;
  return `${name}: ${points}; ${pairs.length} pairs of ${byQuestion.size} questions`;
}
