// `npm run lab -- pool CONTENDER BASE FILE …`: counts how often one policy is right where another is not, over all loads of several files of
// `arrivals`, and what became of the searches that it ended in each way. A question that several cells share counts once, by
// the mean of its pairs, since cells of one set are not independent.

import { mean, raise } from '@coppice/core/base';
import type { CommandHelp } from '../flags.ts';
import type { ArrivalLine } from '../real/arrival-table.ts';
import { headOf, keptLines } from '../real/kept-lines.ts';
import { percentage } from '../real/percentage.ts';
import { meanDifference } from '../statistics.ts';

export const help: CommandHelp = {
  starts: 'npm run lab --',
  usage: 'pool CONTENDER BASE FILE[,FILE-OF-BASE] …',
  about:
    'Pools files of arrivals: the points that one policy gains over another, paired by question, by set and over all, and how the searches went that it ended in each way. Where both are in files of their own, a comma joins the two.',
  groups: [],
  examples: [
    "pool 'mcts safe' 'mcts positive' p0.jsonl p0double.jsonl",
    "pool beam 'mcts positive' p0beam.jsonl,p0.jsonl",
  ],
};

/** One question at one load, under both. */
interface Pair {
  readonly set: string;
  readonly own: ArrivalLine;
  readonly base: ArrivalLine;
}

export async function run(args: readonly string[]): Promise<number> {
  const [contender, base, ...files] = args;
  if (contender === undefined || base === undefined || files.length === 0)
    return raise('bad-setting', 'which of what, in which files? npm run lab -- pool CONTENDER BASE FILE …');
  const pairs = files.flatMap((file) => pairsIn(file, contender, base));
  if (pairs.length === 0) raise('bad-setting', `no load of these files has both '${contender}' and '${base}'`);
  const sets = Map.groupBy(pairs, ({ set }) => set);
  for (const [set, own] of sets) console.log(gainLine(set, own));
  if (sets.size > 1) console.log(gainLine('all', pairs));
  for (const [set, own] of sets) {
    for (const [exit, ended] of Map.groupBy(own, (pair) => pair.own.exit)) console.log(exitLine(set, exit, ended));
  }
  return 0;
}

function pairsIn(files: string, contender: string, base: string): Pair[] {
  const [file = '', ofBase = file] = files.split(',');
  const { questions = '' } = JSON.parse(headOf(file)) as { questions?: string };
  const set = questions.split('/').at(-1)!;
  const inBase = keptLines<ArrivalLine>(ofBase).filter((line) => line.contender === base);
  const before = new Map(inBase.map((line) => [cellOf(line), line]));
  return keptLines<ArrivalLine>(file).flatMap((own) => {
    const first = own.contender === contender ? before.get(cellOf(own)) : undefined;
    return first === undefined ? [] : [{ set, own, base: first }];
  });
}

function cellOf({ load, question }: ArrivalLine): string {
  return `${load} ${question}`;
}

function gainLine(name: string, pairs: readonly Pair[]): string {
  const byQuestion = Map.groupBy(pairs, ({ set, own }) => `${set} ${own.question}`);
  if (byQuestion.size < 2) return `${name}: too few questions`;
  const gains = [...byQuestion.values()].map((each) => mean(each.map(gainOf)));
  const { value, low, high } = meanDifference(gains);
  const points = `${percentage(value)} [${percentage(low)}, ${percentage(high)}] points`;
  return `${name}: ${points}; ${pairs.length} pairs of ${byQuestion.size} questions`;
}

function gainOf({ own, base }: Pair): number {
  return Number(own.correct) - Number(base.correct);
}

function exitLine(set: string, exit: string, ended: readonly Pair[]): string {
  const [right, rightBefore] = (['own', 'base'] as const).map((of) => ended.filter((pair) => pair[of].correct).length);
  const [tokens, tokensBefore] = (['own', 'base'] as const).map((of) =>
    ended.reduce((sum, pair) => sum + tokensOf(pair[of]), 0),
  );
  const share = (tokens! / tokensBefore!).toFixed(2);
  return `${set}, ended as ${exit}: ${ended.length}, ${right} right for ${rightBefore}, ${share} of the tokens`;
}

function tokensOf({ generatedTokens, scoredTokens }: ArrivalLine): number {
  return generatedTokens + scoredTokens;
}
